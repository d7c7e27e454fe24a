// Pages and windows of what a project has logged.
import { verbatim } from '../../../shared/messages/message.js';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completionsPage, lastEvents, samplesOverTime } from '../../../main/services/projects/pages.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-pages-'));
  mkdirSync(join(folder, 'cycles', '01'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('lastEvents', () => {
  it('gives the last events in order of time', () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({
      at: new Date(i * 1000).toISOString(),
      event: 'notice',
      level: 'info',
      code: String(i),
      message: 'x',
    }));
    writeFileSync(join(folder, 'events.jsonl'), `${lines(rows)}{"half":`);
    const events = lastEvents(folder, 5);
    expect(events.map(({ at }) => Date.parse(at) / 1000)).toEqual([25, 26, 27, 28, 29]);
    expect(events[0]?.event).toEqual({ event: 'notice', level: 'info', code: '25', message: verbatim('x') });
  });

  it('has none before the log has begun, and names the line that is damaged', () => {
    expect(lastEvents(folder, 10)).toEqual([]);
    writeFileSync(join(folder, 'events.jsonl'), '{"at":"x","event":"shout"}\n');
    expect(() => lastEvents(folder, 10)).toThrow(/line 1 is damaged/);
  });
});

describe('samplesOverTime', () => {
  const written = (phase: string, step: number, text: string) =>
    [1, 2].map((at) => ({ phase, cycle: 1, step, prompt: `p${at}`, completion: `${text} ${at}` }));
  const samples = () => join(folder, 'cycles', '01', 'samples.jsonl');

  it('gives the samples of each evaluation together, without those of the finished model', () => {
    const rows = [
      ...written('base_training', 0, 'xq'),
      ...written('base_training', 50, 'the'),
      { prompt: 'p', completion: 'c' },
    ];
    writeFileSync(samples(), lines(rows));
    expect(samplesOverTime(folder, 1, 10)).toEqual({
      total: 2,
      evaluations: [
        {
          phase: 'base_training',
          step: 0,
          samples: [
            { prompt: 'p1', completion: 'xq 1' },
            { prompt: 'p2', completion: 'xq 2' },
          ],
        },
        {
          phase: 'base_training',
          step: 50,
          samples: [
            { prompt: 'p1', completion: 'the 1' },
            { prompt: 'p2', completion: 'the 2' },
          ],
        },
      ],
    });
  });

  it('keeps the first and the last of many', () => {
    writeFileSync(samples(), lines(Array.from({ length: 21 }, (_, i) => written('base_training', 10 * i, 'x')).flat()));
    const { total, evaluations } = samplesOverTime(folder, 1, 5);
    expect(total).toBe(21);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 50, 100, 150, 200]);
    const around = (step: number) => samplesOverTime(folder, 1, 3, step).evaluations.map((one) => one.step);
    expect([-1, 0, 57, 200, 999].map(around)).toEqual([
      [0, 10],
      [0, 10],
      [40, 50, 60],
      [190, 200],
      [190, 200],
    ]);
    expect(samplesOverTime(folder, 0, 5)).toEqual({ total: 0, evaluations: [] });
  });
});

describe('completionsPage', () => {
  const page = (change: object) =>
    completionsPage(folder, 1, { search: '', sort: 'step', descending: false, offset: 0, count: 3, ...change });
  beforeEach(() => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      step: i,
      prompt: i % 2 === 0 ? 'The Whale' : 'A ship',
      completion: `text ${i}`,
      reward: i === 4 ? null : Math.abs(i - 5) / 10,
      advantage: -i,
    }));
    writeFileSync(join(folder, 'cycles', '01', 'completions.jsonl'), lines(rows));
  });

  it('sorts by any of its numbers, what has none last, and pages', () => {
    expect(page({}).rows.map(({ step }) => step)).toEqual([0, 1, 2]);
    expect(page({ sort: 'advantage', descending: true, offset: 8 })).toMatchObject({
      total: 10,
      rows: [{ step: 8 }, { step: 9 }],
    });
    expect(page({ sort: 'reward', descending: true }).rows.map(({ reward }) => reward)).toEqual([0.5, 0.4, 0.4]);
    expect(page({ sort: 'reward', count: 10 }).rows.at(-1)).toMatchObject({ step: 4, reward: null });
  });

  it('shows those of one step, or of the last one before it that has any', () => {
    expect(page({ at: 4 })).toMatchObject({ total: 1, rows: [{ step: 4 }] });
    expect(page({ at: 8.7, sort: 'reward' })).toMatchObject({ total: 1, rows: [{ step: 8 }] });
    expect(page({ at: 500 })).toMatchObject({ total: 1, rows: [{ step: 9 }] });
    expect(page({ at: 4, search: 'ship' }).total).toBe(1);
  });

  it('finds words in prompts and completions, whatever their case', () => {
    expect(page({ search: 'whale', count: 10 }).rows.map(({ step }) => step)).toEqual([0, 2, 4, 6, 8]);
    expect(page({ search: 'TEXT 7' })).toMatchObject({ total: 1, rows: [{ step: 7 }] });
    expect(page({ search: 'shark' })).toEqual({ total: 0, rows: [] });
  });
});
