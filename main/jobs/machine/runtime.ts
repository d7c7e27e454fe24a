/** Loads the engine's runtime when a job first asks for it, as the settings say; the fallback is told in one line. */
import { join } from 'node:path';
import type { JobEvent } from '../../../shared/phases/events.js';
import { machineConfigSchema } from '../../../shared/config/machine.js';
import { precisionFor } from '../../../shared/costs/precision.js';
import type { Runtime, SessionOptions } from '../../engine/runtime/types.js';
import { createCompileTime, machineKey, type CompileTime } from './figures.js';
import type { JobContext } from '../types.js';

/** Functions of a small model take a second. */
const WORTH_TELLING_SECONDS = 1;

/** The same runtime, which says when it compiles. */
function telling(runtime: Runtime, emit: (event: JobEvent) => void, compileTime: CompileTime): Runtime {
  const onPhase: SessionOptions['onPhase'] = (phase, _name, operations = 0) => {
    if (phase === 'compiled') compileTime.took(operations);
    if (phase !== 'compile') return;
    const seconds = Math.ceil(compileTime.begins(operations));
    if (seconds <= WORTH_TELLING_SECONDS) return;
    const message = `Preparing: compiling the model for this machine, about ${seconds} s the first time`;
    emit({ event: 'compiling', seconds, message });
  };
  return { ...runtime, createSession: (options) => runtime.createSession({ onPhase, ...options }) };
}

/** Settings of a model that gains nothing from bfloat16; what is loaded for it alone need not be made ready for it. */
function isNarrow(settings: object): boolean {
  const { n_embd } = settings as { readonly n_embd?: unknown };
  return typeof n_embd === 'number' && precisionFor('auto', { n_embd }) === 'f32';
}

export function createRuntimeLoader(
  config: Readonly<Record<string, unknown>>,
  emit: (event: JobEvent) => void,
): JobContext['runtime'] {
  let loading: Promise<Runtime> | null = null;
  const load: JobContext['runtime'] = async (chosen) => {
    const [{ cacheFolder, findTensorflow }, { loadRuntime }] = await Promise.all([
      import('../../installation/locations.mjs'),
      import('../../engine/runtime/native.js'),
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
    const compileTime = createCompileTime(machineKey(runtime, machine.threads));
    const { bfloat16Pays } = await import('./matrix-product.js');
    // `auto` leaves the choice to the engine only where there is something to gain from it.
    const toNone = runtime.precision === 'auto' && !(await bfloat16Pays(runtime, machine.threads));
    return telling(toNone ? { ...runtime, precision: 'f32' } : runtime, emit, compileTime);
  };
  return (machine) => (loading ??= load(machine));
}
