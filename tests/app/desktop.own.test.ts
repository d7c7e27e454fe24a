/** The desktop's notifications of runs, and the files that a start opens. */
import { verbatim } from '../../shared/messages/message.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { firstSentences, noticeOf, shareOf, waitingAmong, watchRuns } from '../../main/app/attention.js';
import type { Dispatcher } from '../../main/ipc/dispatcher.js';
import { createEventBus } from '../../main/services/event-bus.js';
import { setLanguage } from '../../main/app/language.js';
import { projectFilesIn } from '../../main/app/opened-files.js';
import '../support/messages.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';

const shown = vi.hoisted((): { title: string; body: string }[] => []);
vi.mock('electron', () => {
  class Notification {
    static isSupported = () => true;
    constructor(private readonly notice: { title: string; body: string }) {}
    on() {}
    show() {
      shown.push({ title: this.notice.title, body: this.notice.body });
    }
  }
  return { dialog: {}, shell: {}, Notification, app: { setBadgeCount() {} }, powerSaveBlocker: {} };
});
const folder = mkdtempSync(join(tmpdir(), 'verisim-opened-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a start opens the exported projects among its arguments', () => {
  const file = join(folder, 'Moby Dick.verisim');
  writeFileSync(file, '');
  const there = ['/opt/Verisim/verisim', '--no-sandbox', file, join(folder, 'none.verisim'), '/etc/passwd'];
  expect(projectFilesIn(there, '/')).toEqual([file]);
  expect(projectFilesIn(['verisim', 'Moby Dick.verisim'], folder)).toEqual([file]);
  expect(projectFilesIn(['verisim', '--file=x.verisim'], folder)).toEqual([]);
});

const summary = (state: ProjectSummary['state'], more: Partial<ProjectSummary> = {}): ProjectSummary => ({
  id: 'project_1',
  name: 'Moby-Dick',
  folder: '/home/ana/Verisim/Moby-Dick',
  state,
  preset: 'tiny',
  cycle: 0,
  max_cycles: 3,
  ended: null,
  perplexities: [],
  changed: '2026-01-01T00:00:00Z',
  activity: null,
  fault: null,
  exact: true,
  ...more,
});

it('notifies when a run ends or fails, and for nothing else', () => {
  const fault = { code: 'disk_full' as const, message: verbatim('The disk is full.'), hint: verbatim('Make room.') };
  expect(noticeOf(summary('running'), summary('finished'))?.title).toBe('Moby-Dick is trained');
  expect(noticeOf(summary('running'), summary('failed', { fault }))?.body).toBe('The disk is full.');
  const other = summary('stopped', { id: 'project_other', folder: '/b/whale' });
  const after = summary('finished', { folder: '/a/whale' });
  expect(noticeOf(summary('running'), after, [after, other])?.title).toBe('Moby-Dick (a/whale) is trained');
  for (const [before, after] of [
    [null, summary('finished')],
    [summary('stopped'), summary('finished')],
    [summary('running'), summary('running')],
    [summary('running'), summary('paused')],
    [summary('running'), summary('stopped')],
    [summary('running'), null],
  ] as const) {
    expect(noticeOf(before, after)).toBeNull();
  }
});

it('quotes the newest model when a project is finished', async () => {
  const bus = createEventBus();
  const samples = [{ prompt: 'The sea', completion: ' was calm. Nobody spoke. And then' }];
  const answers: Readonly<Record<string, unknown>> = {
    'projects.list': { projects: [] },
    'projects.reports': { reports: [{ samples: [] }, { samples }] },
  };
  const dispatch = (name: string) => Promise.resolve({ ok: true, value: answers[name] });
  const dispatcher = { dispatch } as unknown as Dispatcher;
  const end = watchRuns({ bus, dispatcher, keepsAwake: () => false, window: () => null, icon: '' });
  for (const state of ['running', 'finished'] as const)
    bus.publish('projects.changed', { id: 'project_1', summary: summary(state) });
  await vi.waitFor(() => expect(shown).toHaveLength(1));
  end();
  expect(shown).toEqual([{ title: 'Moby-Dick is trained', body: '“The sea was calm. Nobody spoke. And then”' }]);
});

it.each([
  ['whole sentences', { prompt: 'One.', completion: ` Two\nlines. ${'More '.repeat(40)}` }, 'One. Two lines.'],
  ['a cut sentence', { prompt: 'word ', completion: 'word '.repeat(60) }, `${'word '.repeat(35)}word…`],
  ['Chinese', { prompt: '我', completion: `喜欢。${'海'.repeat(200)}` }, '我喜欢。'],
])('shows %s of a sample', (_, sample, text) => expect(firstSentences(sample)).toBe(text));

it('notifies when a project waits for votes, in the window’s language, and counts such projects', () => {
  const awaits = (votes: number) => ({ votes, newest: 'base_model_v2', previous: 'base_model_v1' });
  const waiting = summary('awaiting_votes', { awaits: awaits(137) });
  const notice = () => noticeOf(summary('running'), waiting);
  expect(notice()).toEqual({
    title: 'Moby-Dick is waiting for votes',
    body: 'About 140 more votes decide whether there is another cycle.',
  });
  expect(noticeOf(summary('running'), { ...waiting, awaits: awaits(1) })?.body).toContain('1 more vote decides');
  setLanguage('de', []);
  expect(notice()?.title).toBe('Moby-Dick wartet auf Stimmen');
  expect(notice()?.body).toBe('Etwa 140 weitere Stimmen entscheiden, ob es noch einen Zyklus gibt.');
  setLanguage('en', []);
  // A vote is no reason for a notification.
  expect(noticeOf(waiting, { ...waiting, awaits: awaits(20) })).toBeNull();
  expect(noticeOf(null, waiting)).toBeNull();
  expect(waitingAmong([waiting, summary('running'), summary('finished'), waiting])).toBe(2);
});

it('the taskbar shows the share of the phase that runs', () => {
  const activity = {
    phase: 'base_training',
    cycle: 0,
    name: null,
    done: 30,
    total: 120,
    unit: 'steps',
    rate: null,
  } as const;
  const running = summary('running', { activity: { ...activity, seconds_left: null, detail: null } });
  expect(shareOf(running)).toBe(0.25);
  expect(shareOf(summary('running'))).toBeNull();
});
