/** Loads the engine's runtime when a job first asks for it, as the settings say; the fallback is told in one line. */
import { join } from 'node:path';
import type { JobEvent } from '../../shared/events.js';
import { machineConfigSchema } from '../../shared/config/machine.js';
import { BFLOAT16_FROM_WIDTH } from '../engine/precision.js';
import type { Runtime } from '../engine/runtime/types.js';
import type { JobContext } from './types.js';

/** XLA's time for an operation of a graph, on a usual machine. Functions of a small model take a second. */
const SECONDS_PER_OPERATION = 0.003;
const WORTH_TELLING_SECONDS = 1;

/** The same runtime, which says when it compiles. */
function telling(runtime: Runtime, emit: (event: JobEvent) => void): Runtime {
  const onPhase = (phase: string, _name: string, operations = 0) => {
    const seconds = Math.ceil(operations * SECONDS_PER_OPERATION);
    if (phase !== 'compile' || seconds <= WORTH_TELLING_SECONDS) return;
    const message = `Preparing: compiling the model for this machine, about ${seconds} s the first time`;
    emit({ event: 'compiling', seconds, message });
  };
  return { ...runtime, createSession: (options) => runtime.createSession({ onPhase, ...options }) };
}

/** Settings of a model that gains nothing from bfloat16; what is loaded for it alone need not be made ready for it. */
function isNarrow(settings: object): boolean {
  const { n_embd } = settings as { readonly n_embd?: unknown };
  return typeof n_embd === 'number' && n_embd < BFLOAT16_FROM_WIDTH;
}

export function createRuntimeLoader(
  config: Readonly<Record<string, unknown>>,
  emit: (event: JobEvent) => void,
): JobContext['runtime'] {
  let loading: Promise<Runtime> | null = null;
  const load: JobContext['runtime'] = async (chosen) => {
    const [{ cacheFolder, findTensorflow }, { loadRuntime }] = await Promise.all([
      import('../storage/tensorflow-location.js'),
      import('../engine/runtime/native.js'),
    ]);
    const machine = chosen ?? machineConfigSchema.parse(config);
    const runtime = await loadRuntime({
      ...findTensorflow(),
      threads: machine.threads,
      device: machine.device,
      compileCache: join(cacheFolder(), 'compiled'),
      precision: isNarrow(chosen ?? config) && machine.precision === 'auto' ? 'f32' : machine.precision,
    });
    if (runtime.notice !== null) {
      emit({ event: 'notice', level: 'warning', code: 'runtime_fallback', message: runtime.notice });
    }
    return telling(runtime, emit);
  };
  return (machine) => (loading ??= load(machine));
}
