// What the app did: as much as was asked for, in two files of bounded size, and never in the way.
import { verbatim } from '../../../shared/messages/message.js';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import { createLog, logLevels, type LogLevel } from '../../../main/services/machine/log.js';
import type { Supervisor, SupervisorEvent } from '../../../main/supervisor/types.js';
import { createWorld } from '../../ipc/world.js';

const home = mkdtempSync(join(tmpdir(), 'verisim-log-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const now = () => Date.parse('2026-11-21T12:00:00Z');

describe('the log', () => {
  it.each(logLevels)('has what is at least as grave as %s, and changes with the setting', (level) => {
    const file = join(home, `${level}.jsonl`);
    let asked: LogLevel = level;
    const log = createLog({ file, level: () => asked, now });
    for (const each of logLevels) log.write(each, `said as ${each}`);
    const expected = logLevels.slice(0, logLevels.indexOf(level) + 1);
    expect(log.newest(10)).toEqual(expected.map((each) => `2026-11-21T12:00:00.000Z ${each}: said as ${each}`));
    asked = 'error';
    log.write('warning', 'not asked for any more');
    expect(log.newest(10)).toHaveLength(expected.length);
    log.close();
  });

  it('begins anew when it is long, keeping the one before', () => {
    const file = join(home, 'long.jsonl');
    const log = createLog({ file, level: () => 'info', now, longest: 1000 });
    for (let line = 0; line < 100; line++) log.write('info', `line ${line}`);
    log.close();
    for (const each of [file, `${file}.1`]) expect(statSync(each).size).toBeLessThan(1200);
    expect(log.newest(1)).toEqual(['2026-11-21T12:00:00.000Z info: line 99']);
    expect(log.newest(3)).toHaveLength(3);
  });

  it('does without where it cannot be written or read', () => {
    writeFileSync(join(home, 'no-folder'), '');
    const log = createLog({ file: join(home, 'no-folder', 'log.jsonl'), level: () => 'info', now });
    log.write('info', 'nowhere');
    expect(log.newest(3)).toEqual([]);
    log.close();
  });
});

it('tells of runs what a person would look for, and the diagnostics end with it', async () => {
  let tell: (event: SupervisorEvent) => void = () => undefined;
  const supervisor: Supervisor = {
    ...absentSupervisor(),
    subscribe(listener) {
      const before = tell;
      tell = (event) => {
        before(event);
        listener(event);
      };
      return () => undefined;
    },
  };
  const world = createWorld({ supervisor, now });
  const folder = world.makeProject('Whales');
  const fault = { code: 'disk_full', message: verbatim('The disk is full.'), hint: verbatim('Make room.') } as const;
  tell({ type: 'ended', folder, outcome: 'failed', fault });
  await world.ask('settings.set', { log_level: 'error' });
  tell({ type: 'ended', folder, outcome: 'finished', fault: null });
  world.services.diagnostics.bug('projects.get', new Error('a bug'));
  const { text } = (await world.ask('app.diagnostics', {})) as { text: string };
  const lines = text.split('\n').filter((line) => line.startsWith('2026-11-21T12:00:00.000Z '));
  const said = lines.map((line) => line.slice(25));
  expect(said).toEqual(
    expect.arrayContaining(['info: Verisim 1.2.3 begins.', 'error: Whales: failed: The disk is full. Make room.']),
  );
  expect(said.filter((line) => /finished/.test(line))).toEqual([]);
  expect(text).toContain('error: projects.get: Error: a bug');
  expect(readFileSync(join(world.folder, 'data/log.jsonl'), 'utf8')).toContain('"level":"error"');
  await world.close();
});
