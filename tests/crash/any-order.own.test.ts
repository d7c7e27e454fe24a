/**
 * Start, stop, delete and crash in any order: the project is always one that can be opened, one process at a time works on it, what is finished stays, and in the end it is the same project.
 */
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { removeJob } from '../../main/jobs/project/folders.js';
import type { JobContext } from '../../main/jobs/types.js';
import { openProject } from '../../main/storage/projects/project-folder.js';
import { lockHolder } from '../../main/storage/disk/lock.js';
import { nodeFileOperations } from '../../main/storage/disk/file-operations.js';
import { UserError } from '../../shared/errors.js';
import { Crash, faultyFiles } from '../storage/faults.js';
import { MemoryDisk } from '../storage/memory-disk.js';
import { type FakeRun, openFakeRun, runToEnd } from './fake-cycle.js';
import { finishedFiles, onFiles } from './in-memory.js';

const folder = '/projects/fake';
let back: () => void = () => undefined;
afterEach(() => back());

/** What must be true. */
interface Model {
  exists: boolean;
  running: boolean;
  /** Reports that are there: cycles that are finished. */
  finished: number;
}

interface Real {
  readonly disk: MemoryDisk;
  run: FakeRun | null;
}

/** Runs `action` on the disk; with `crashAfter`, the process dies after so many file operations. */
async function on<T>(real: Real, action: () => Promise<T>, crashAfter?: number): Promise<T> {
  const ops = crashAfter === undefined ? real.disk.ops : faultyFiles(crashAfter, 'crash inside', real.disk.ops);
  back = onFiles(ops);
  try {
    return await action();
  } finally {
    back();
  }
}

const codeOf = async (promise: Promise<unknown>): Promise<string | null> => {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    throw error;
  }
};

/** The process is gone: nothing is closed, no lock is released. */
function die(model: Model, real: Real): void {
  real.run = null;
  real.disk.endProcesses();
  model.running = false;
}

function end(model: Model, real: Real): void {
  real.run?.close();
  real.run = null;
  model.running = false;
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  check(model: Model): boolean {
    return this.allowed(model);
  }
  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await on(real, async () => {
      invariants(model);
    });
  }
  toString(): string {
    return JSON.stringify({ [this.constructor.name]: { ...this } });
  }
  abstract allowed(model: Model): boolean;
  abstract act(model: Model, real: Real): Promise<void>;
}

function invariants(model: Model): void {
  const project = (() => {
    try {
      return openProject(folder);
    } catch (error) {
      if (error instanceof UserError && error.code === 'file_not_found') return null;
      throw error;
    }
  })();
  expect(project !== null).toBe(model.exists);
  if (project === null) return;
  expect(lockHolder(folder) !== null).toBe(model.running);
  const reports = [0, 1].filter((cycle) => nodeFileOperations.kind(project.paths.cycle(cycle).report) === 'file');
  expect(reports.length).toBeGreaterThanOrEqual(model.finished);
  model.finished = reports.length;
}

class Start extends Step {
  allowed = () => true;
  async act(model: Model, real: Real): Promise<void> {
    const open = async () => openFakeRun(folder);
    if (model.running) {
      expect(await on(real, () => codeOf(open()))).toBe('locked');
      return;
    }
    real.run = await on(real, open);
    model.exists = true;
    model.running = true;
  }
}

class Work extends Step {
  constructor(readonly steps: number) {
    super();
  }
  allowed = (model: Model) => model.running;
  async act(model: Model, real: Real): Promise<void> {
    await on(real, async () => {
      for (let step = 0; step < this.steps; step += 1) {
        if (!(await real.run?.next())?.done) continue;
        end(model, real);
        return;
      }
    });
  }
}

class Stop extends Step {
  allowed = (model: Model) => model.running;
  async act(model: Model, real: Real): Promise<void> {
    const { run } = real;
    if (run === null) throw new Error('nothing runs');
    run.stop.requested = true;
    await on(real, async () => {
      const code = await codeOf(
        (async () => {
          while (!(await run.next()).done);
        })(),
      );
      expect(['stopped', null]).toContain(code);
      end(model, real);
    });
  }
}

class Kill extends Step {
  allowed = (model: Model) => model.running;
  async act(model: Model, real: Real): Promise<void> {
    die(model, real);
  }
}

/** Dies at a file operation: at work, or while starting. */
class KillInside extends Step {
  constructor(
    readonly phase: 'work' | 'start',
    readonly operation: number,
  ) {
    super();
  }
  allowed = (model: Model) => (this.phase === 'work' ? model.running : model.exists && !model.running);
  async act(model: Model, real: Real): Promise<void> {
    const work = async (): Promise<void> => {
      while (!(await real.run?.next())?.done);
    };
    const start = async (): Promise<void> => void openFakeRun(folder);
    try {
      await on(real, this.phase === 'work' ? work : start, this.operation);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    die(model, real);
  }
}

class Delete extends Step {
  allowed = (model: Model) => model.exists;
  async act(model: Model, real: Real): Promise<void> {
    const deleting = () => codeOf(removeJob({ project: folder, force: true }, {} as JobContext));
    const code = await on(real, deleting);
    expect(code).toBe(model.running ? 'locked' : null);
    if (model.running) return;
    model.exists = false;
    model.finished = 0;
    expect(Object.keys(real.disk.contents())).toEqual([]);
  }
}

describe('a project', () => {
  it('goes through any order of start, stop, delete and crash', { timeout: 600_000 }, async () => {
    const first: Real = { disk: new MemoryDisk(), run: null };
    await on(first, () => runToEnd(folder));
    const whole = finishedFiles(first.disk.contents());
    const commands = fc.commands(
      [
        fc.constant(new Start()),
        fc.integer({ min: 1, max: 8 }).map((steps) => new Work(steps)),
        fc.constant(new Stop()),
        fc.constant(new Kill()),
        fc.nat(300).map((operation) => new KillInside('work', operation)),
        fc.nat(40).map((operation) => new KillInside('start', operation)),
        fc.constant(new Delete()),
      ],
      { maxCommands: 14 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (chosen) => {
        const model: Model = { exists: false, running: false, finished: 0 };
        const real: Real = { disk: new MemoryDisk(), run: null };
        await fc.asyncModelRun(() => ({ model, real }), chosen);
        if (model.running) die(model, real);
        await on(real, () => runToEnd(folder));
        expect(finishedFiles(real.disk.contents())).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});
