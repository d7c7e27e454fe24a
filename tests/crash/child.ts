/**
 * The crash tests' process: runs the project in argv[2] with the text argv[3] and the model argv[4] as `verisim cycle` does, of the
 * kind argv[5], on the real TensorFlow, and meets with what argv[6] (JSON) says; of the kind `teacher`, it trains the model on the text. Its last line of output says how it ended.
 */
import { appendFileSync } from 'node:fs';
import { trainJob } from '../../main/jobs/commands/train.js';
import { cycleJob } from '../../main/jobs/project/cycle.js';
import type { JobContext } from '../../main/jobs/types.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { nodeFileOperations } from '../../main/storage/disk/file-operations.js';
import { findTensorflow } from '../../main/installation/locations.mjs';
import { toFault } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { dyingFiles, type Aim } from './dying-files.js';
import { crashProject, teacherSettings, type CrashKind } from './project.js';

/** What happens to the process. All left out: nothing, it runs to its end. */
export interface Orders {
  /** Ask to stop, or die, at the first place that is not among `seen`. */
  readonly end?: 'stop' | 'kill';
  readonly seen?: readonly string[];
  /** Die at a file operation. */
  readonly aim?: Aim;
}

const [folder = '', text = '', model = '', kind = '', written = '{}'] = process.argv.slice(2);
const orders = JSON.parse(written) as Orders;
const say = (value: object) => appendFileSync(1, `${JSON.stringify(value)}\n`);
const { ops, counts } = dyingFiles(nodeFileOperations, orders.aim ?? null);
Object.assign(nodeFileOperations, ops);

/** A moment of the run that is the same in every process that comes by it. */
function placeOf(event: JobEvent): string | null {
  // What is skipped is reported only by a run that goes on.
  if (event.event === 'phase' && event.state === 'skipped') return null;
  if (event.event === 'phase') return `${event.cycle ?? ''} ${event.phase} ${event.state}`;
  if (event.event === 'progress') return `${cycle} ${event.phase} ${event.done}`;
  if (event.event === 'checkpoint') return `${event.name} checkpoint ${event.step}`;
  return null;
}

let cycle = 0;
let clock = 0;
const seen = new Set(orders.seen);
const stop = { requested: false };
const context: JobContext = {
  emit(event) {
    if (event.event === 'phase' && event.cycle !== undefined) cycle = event.cycle;
    const place = placeOf(event);
    if (place === null || stop.requested) return;
    if (orders.end === undefined) say({ place });
    else if (!seen.has(place)) {
      say({ ended_at: place });
      if (orders.end === 'kill') process.kill(process.pid, 'SIGKILL');
      stop.requested = true;
    }
  },
  // A second for every look at it: progress is then reported at every step.
  now: () => (clock += 1000),
  stop,
  // Every checkpoint there can be: they are what is interrupted here.
  savingShare: 1,
  yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
  async runtime() {
    const runtime = await loadRuntime({ ...findTensorflow(), threads: 1, device: 'cpu' });
    if (runtime.kind !== 'tensorflow')
      throw new Error(runtime.notice?.code ?? 'TensorFlow is needed; run: npm run setup');
    return {
      ...runtime,
      // Compiling with XLA takes seconds for every function, in every process; a plain graph none.
      createSession(options) {
        const session = runtime.createSession(options);
        return new Proxy(session, {
          get(target, name) {
            if (name === 'compile')
              return ((fn, how) => target.compile(fn, { ...how, xla: false })) as typeof session.compile;
            const value: unknown = Reflect.get(target, name);
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          },
        });
      },
    };
  },
};

try {
  if (kind === 'teacher') await trainJob(teacherSettings(model, text, folder), context);
  else await cycleJob(crashProject(folder, text, model, kind as CrashKind), context);
  say({ done: true, operations: counts });
} catch (error) {
  say({ fault: toFault(error), stack: error instanceof Error ? error.stack : null });
}
process.exit(0);
