/** The watchdogs' rules: hangs told from long steps, sleep and clocks, disks and memory, and time that is worked. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createWatchdog, gapBetween, processorSeconds } from '../../main/supervisor/watchdog.js';
import { createWorkClock } from '../../main/trainer/work-clock.js';
import { checkpointRoom, createDiskWatch } from '../../main/trainer/watches.js';
import { temporaryFolder } from '../jobs/context.js';
import { inEnglish } from '../support/messages.js';

const limits = { silence: 1000, longest: 60_000 };

/** Looks every 100 ms from 0 to `until`; gives the moment at which it is taken for hung, or null. */
function firstHang(watchdog: ReturnType<typeof createWatchdog>, until: number, used: (at: number) => number | null) {
  for (let at = 0; at <= until; at += 100) if (watchdog.hangs(at, used(at))) return at;
  return null;
}

describe('the watchdog', () => {
  it('takes a silent process that uses no processor for hung, soon', () => {
    expect(firstHang(createWatchdog(limits, 0), 10_000, () => 5)).toBe(1000);
  });

  it('leaves a busy one alone, however long its step, up to a limit', () => {
    expect(firstHang(createWatchdog(limits, 0), 59_900, (at) => at / 1000)).toBeNull();
    expect(firstHang(createWatchdog(limits, 0), 70_000, (at) => at / 1000)).toBe(60_000);
  });

  it('notices one that was busy first and then stood still', () => {
    const at = firstHang(createWatchdog(limits, 0), 20_000, (now) => Math.min(now, 5000) / 1000);
    expect(at).toBeGreaterThan(5000);
    expect(at).toBeLessThan(6500);
  });

  it('counts from the last answer, and not the time that the computer slept', () => {
    const watchdog = createWatchdog(limits, 0);
    watchdog.answered(5000);
    expect(watchdog.hangs(5900, 1)).toBe(false);
    watchdog.excuse(90_000);
    expect(watchdog.hangs(90_400, 1)).toBe(false);
  });

  it('without knowing the use of the processor waits far longer than the longest silence so far', () => {
    const watchdog = createWatchdog(limits, 0);
    expect(watchdog.hangs(1900, null)).toBe(false);
    watchdog.answered(1900);
    expect(watchdog.hangs(1900 + 18_000, null)).toBe(false);
    expect(watchdog.hangs(1900 + 19_000, null)).toBe(true);
  });

  it('reads the processor time of a real process', () => {
    const before = processorSeconds(process.pid);
    const { user, system } = process.cpuUsage();
    // Until 0.3 s of processor time have gone, however busy the machine is.
    for (let used = 0; used < 0.3e6;) used = process.cpuUsage().user + process.cpuUsage().system - user - system;
    if (process.platform !== 'linux') expect(before).toBeNull();
    else expect((processorSeconds(process.pid) ?? 0) - (before ?? 0)).toBeGreaterThan(0.2);
    expect(processorSeconds(2 ** 30)).toBeNull();
  });
});

describe('the time between two ticks', () => {
  const at = (monotonic: number, wall: number) => ({ monotonic, wall });
  it.each([
    ['on time', at(2000, 2000), null],
    ['late on a busy machine', at(9000, 9000), null],
    [
      'a sleep where the monotonic clock goes on',
      at(602_000, 602_000),
      { kind: 'slept', milliseconds: 600_000, monotonic: 600_000 },
    ],
    ['a sleep on Linux', at(2000, 602_000), { kind: 'slept', milliseconds: 600_000, monotonic: 0 }],
    ['a clock set back', at(2000, -3_598_000), { kind: 'set_back', milliseconds: 3_600_000 }],
  ])('%s', (_name, now, gap) => {
    expect(gapBetween(at(0, 0), now, 2000)).toEqual(gap);
  });
});

describe('the clock of work', () => {
  it('never runs backwards, and counts neither pauses nor sleep', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('pass' as const), ms: fc.nat(1000) }),
      fc.record({ do: fc.constant('slept' as const), ms: fc.nat(1000) }),
      fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), ms: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let [real, worked, paused] = [0, 0, false];
        const clock = createWorkClock(() => real);
        for (const { do: what, ms } of steps) {
          const before = clock.now();
          if (what === 'pass') [real, worked] = [real + ms, worked + (paused ? 0 : ms)];
          else if (what === 'slept') {
            // A sleep has passed before it is told.
            real += ms;
            if (!paused) clock.slept(ms);
          } else {
            paused = what === 'pause';
            if (paused) clock.pause();
            else clock.resume();
          }
          expect(clock.now()).toBeGreaterThanOrEqual(before);
        }
        expect(clock.now()).toBe(worked);
      }),
    );
  });
});

describe('the disk', () => {
  const home = temporaryFolder();
  const folder = join(home, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'project.json'), '');
  afterAll(() => rmSync(home, { recursive: true }));
  const watch = (free: () => number | null, now = () => 0) =>
    createDiskWatch({ folder, needed: () => 100, now, free, milliseconds: 5 });

  it('with room or of unknown size never stops a run', () => {
    expect(watch(() => 100).look()).toBeNull();
    expect(watch(() => null).look()).toBeNull();
  });

  it('nearly full pauses it until there is room', async () => {
    let free = 99;
    const full = watch(() => free).look();
    expect(full?.message.params).toMatchObject({ free: { bytes: 99 }, needed: { bytes: 100 } });
    setTimeout(() => (free = 100), 30);
    expect(await full?.room).toBe(true);
  });

  it('that is unplugged pauses it until it is back, whoever resumes it meanwhile', async () => {
    const disk = watch(() => 100);
    expect(disk.look()).toBeNull();
    renameSync(folder, `${folder}-away`);
    expect(inEnglish(disk.look()?.message ?? expect.unreachable())).toMatch(/^Paused: .*project is gone/);
    disk.resume();
    const gone = disk.look();
    setTimeout(() => renameSync(`${folder}-away`, folder), 30);
    expect(await gone?.room).toBe(true);
    expect(existsSync(join(folder, 'project.json'))).toBe(true);
  });

  it('has to hold another checkpoint as large as the last, whatever of that goes meanwhile', () => {
    const folder = temporaryFolder();
    const progress = join(folder, 'checkpoints', 'base_model_v1.progress');
    mkdirSync(join(progress, 'step_1'), { recursive: true });
    const room = checkpointRoom(folder);
    const spare = room.needed();
    writeFileSync(join(progress, 'step_1', 'weights'), new Uint8Array(1000));
    // Listed, and not there any more.
    symlinkSync(join(folder, 'nowhere'), join(progress, 'step_1', 'moments'));
    room.saved('base_model_v1');
    expect(room.needed()).toBe(spare + 1000);
    rmSync(folder, { recursive: true });
  });

  it('nearly full, goes on when the person says so, and asks again after a while', async () => {
    let now = 0;
    const disk = watch(
      () => 0,
      () => now,
    );
    const full = disk.look();
    disk.resume();
    expect(await full?.room).toBe(false);
    now = 599_000;
    expect(disk.look()).toBeNull();
    now = 601_000;
    expect(disk.look()).not.toBeNull();
    disk.resume();
  });
});
