/**
 * Every file operation of a cycle, and of going on with it, fails once in every way there is. What a person then has is
 * the old state or the new one, never a mixture, and running it again ends as if nothing had happened.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../shared/errors.js';
import { Crash, type Fault, faultsOf, faultyFiles } from '../storage/faults.js';
import { MemoryDisk } from '../storage/memory-disk.js';
import { openFakeRun, runToEnd } from './fake-cycle.js';
import { finishedFiles, isLeftover, onFiles } from './in-memory.js';

const folder = '/projects/fake';
let back: () => void = () => undefined;
afterEach(() => back());

async function on<T>(disk: MemoryDisk, at: number | undefined, fault: Fault | undefined, act: () => Promise<T>) {
  const files = faultyFiles(at, fault, disk.ops);
  back = onFiles(files);
  try {
    await act();
    return { operations: files.operations, error: null };
  } catch (error) {
    return { operations: files.operations, error };
  } finally {
    back();
    disk.endProcesses();
  }
}

async function wholeRun(): Promise<Record<string, string>> {
  const disk = new MemoryDisk();
  expect((await on(disk, undefined, undefined, () => runToEnd(folder))).error).toBeNull();
  return finishedFiles(disk.contents());
}

/** Which codes a fault may have by the time a person reads it. */
const codes: Partial<Record<Fault, readonly string[]>> = {
  EIO: ['file_not_writable', 'file_damaged', 'exists'],
  ENOSPC: ['disk_full', 'file_not_readable', 'exists'],
  EACCES: ['file_not_writable', 'file_not_readable', 'exists'],
};

function expectClear(error: unknown, fault: Fault): void {
  if (error === null || error instanceof Crash) return;
  if (!(error instanceof UserError)) throw new Error('not a UserError', { cause: error });
  expect(error.hint).not.toBe('');
  expect(codes[fault] ?? []).toContain(error.code);
}

/**
 * Runs to the end from a disk as `begin` gives it, with a fault at each of the first `most` operations; then again without.
 * @returns what went otherwise than it must
 */
async function failuresOf(begin: () => Promise<MemoryDisk>, most?: number): Promise<string[]> {
  const failures: string[] = [];
  /** What a fault left from which the end has been reached: most leave what another has left. */
  const known = new Set<string>();
  const whole = await wholeRun();
  const { operations } = await on(await begin(), undefined, undefined, () => runToEnd(folder));
  for (const [at, operation] of operations.slice(0, most).entries()) {
    for (const fault of faultsOf(operation, at === operations.length - 1)) {
      const disk = await begin();
      const { error } = await on(disk, at, fault, () => runToEnd(folder));
      try {
        expectClear(error, fault);
        const left = disk.state();
        if (known.has(left)) continue;
        const again = await on(disk, undefined, undefined, () => runToEnd(folder));
        if (again.error !== null) throw again.error as Error;
        expect(finishedFiles(disk.contents())).toEqual(whole);
        known.add(left);
      } catch (failure) {
        const what = failure instanceof Error ? (failure.cause ?? failure) : failure;
        const stack = what instanceof Error ? (what.stack ?? '').split('\n').slice(0, 12).join('\n') : String(what);
        failures.push(`after ${fault} at operation ${at} of ${operations.length} (${operation}): ${stack}`);
      }
    }
  }
  return failures;
}

describe('a cycle', () => {
  it('survives every fault at every file operation', { timeout: 600_000 }, async () => {
    expect(Object.keys(await wholeRun()).filter(isLeftover)).toEqual([]);
    const { operations } = await on(new MemoryDisk(), undefined, undefined, () => runToEnd(folder));
    expect(operations.length).toBeGreaterThan(500);
    expect(await failuresOf(() => Promise.resolve(new MemoryDisk()))).toEqual([]);
  });

  it('that was stopped survives every fault while it goes on', { timeout: 600_000 }, async () => {
    const half = async () => {
      const disk = new MemoryDisk();
      await on(disk, undefined, undefined, async () => {
        const run = openFakeRun(folder);
        for (let step = 0; step < 7; step += 1) await run.next();
        run.close();
      });
      return disk;
    };
    // Opening and recovering; what follows is the same as above.
    expect(await failuresOf(half, 80)).toEqual([]);
  });
});
