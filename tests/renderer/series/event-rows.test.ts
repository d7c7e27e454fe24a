/** What happened, as rows to read. */
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it } from 'vitest';
import type { JobEvent } from '../../../shared/phases/events.js';
import { artefactWords } from '../../../renderer/format/words.js';
import { eventRows } from '../../../renderer/series/event-rows.js';

const logged = (...events: readonly JobEvent[]) =>
  events.map((event, at) => ({ at: new Date(1e12 + at * 1000).toISOString(), event }));
const critic = (state: 'started' | 'finished'): JobEvent => ({
  ...{ event: 'phase', phase: 'critic', state, cycle: 1, name: 'critic_model_v1' },
  message: verbatim('Training the critic: critic_model_v1'),
});
const notice = (code: string, text: string): JobEvent => ({
  ...{ event: 'notice', level: 'info', code },
  message: verbatim(text),
});
const rowsOf = (...events: readonly JobEvent[]) => eventRows(logged(...events), 40).map(({ text }) => text);

describe('what happened', () => {
  it('labels a phase that starts again as resumed, unless it had finished', () => {
    expect(rowsOf(critic('started'), notice('closed', 'Verisim was closed.'), critic('started'))).toEqual([
      'Resumed: Training the critic, a stronger language model: critic of cycle 1',
      'Verisim was closed.',
      'Training the critic, a stronger language model: critic of cycle 1',
    ]);
    expect(rowsOf(critic('started'), critic('finished'), critic('started'))).not.toContain(
      'Resumed: Training the critic, a stronger language model: critic of cycle 1',
    );
  });

  it('mentions once that the app was closed, and otherwise each request', () => {
    expect(rowsOf(notice('closed', 'Closed.'), notice('stopping', 'Stopped, as requested.'))).toEqual(['Closed.']);
    expect(rowsOf(notice('paused', 'Paused.'), notice('stopping', 'Stopped, as requested.'))).toEqual([
      'Stopped, as requested.',
      'Paused.',
    ]);
  });

  it('has the latest first, up to the limit', () => {
    const rows = eventRows(logged(notice('a', 'one'), notice('b', 'two'), notice('c', 'three')), 2);
    expect(rows.map(({ text }) => text)).toEqual(['three', 'two']);
  });
});

it('calls what the phases make as people do', () => {
  expect(artefactWords('base_model_v1')).toBe('base model');
  expect(artefactWords('base_model_v3')).toBe('model after cycle 2');
  expect(artefactWords('reward_data_v2')).toBe('reward data of cycle 2');
  expect(artefactWords('my_notes_v2')).toBe('my_notes_v2');
});
