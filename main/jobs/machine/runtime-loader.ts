/** Loads the engine's runtime for a job's first use, as the settings say, and reports when it compiles. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { machineConfigSchema, type MachineConfig } from '../../../shared/config/machine.js';
import { precisionFor } from '../../../shared/costs/precision.js';
import { stopped, UserError } from '../../../shared/errors.js';
import { localized, measure } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Runtime, SessionOptions } from '../../engine/runtime/types.js';
import { usableCores } from '../../installation/environment.mjs';
import { cacheFolder, findTensorflow } from '../../installation/locations.mjs';
import { notice, type JobContext } from '../types.js';
import { createCompileTime, machineKey } from './figures.js';
import { cardFigures, isFaster, suitsCard } from './graphics-card.js';

/** Functions of a small model take a second. */
const WORTH_REPORTING_SECONDS = 1;

/** Whether bfloat16 has nothing to offer to a model of these settings. */
function isNarrow(settings: object): boolean {
  const { n_embd } = settings as { readonly n_embd?: unknown };
  return typeof n_embd === 'number' && precisionFor('auto', { n_embd }) === 'f32';
}

export function createRuntimeLoader(
  config: Readonly<Record<string, unknown>>,
  emit: (event: JobEvent) => void,
): JobContext['runtime'] {
  let loading: Promise<Runtime> | null = null;
  const load: JobContext['runtime'] = async (chosen, trains) => {
    const { loadRuntime } = await import('../../engine/runtime/native.js');
    const { canUseWebgpu } = await import('../../engine/runtime/backends/webgpu.js');
    const machine = chosen ?? machineConfigSchema.parse(config);
    const loadOn = (device: MachineConfig['device']) =>
      loadRuntime({
        ...findTensorflow(),
        // By itself TensorFlow takes all cores that the system shows.
        threads: machine.threads ?? (usableCores() < availableParallelism() ? usableCores() : null),
        device,
        compileCache: join(cacheFolder(), 'compiled'),
        precision: isNarrow(chosen ?? config) && machine.precision === 'auto' ? 'f32' : machine.precision,
      });
    // Electron trains with WebGPU in a window of its own, and answers calls on the processor.
    const device = machine.device === 'webgpu' && !canUseWebgpu() ? 'cpu' : machine.device;
    const mayUseCard = trains === true && canUseWebgpu() && suitsCard({ ...config, ...machine });
    const runtime = await (mayUseCard ? loadFaster(loadOn, machine.threads, emit) : loadOn(device));
    if (runtime.notice !== null) emit(notice('runtime_fallback', runtime.notice, 'warning'));
    const compileTime = createCompileTime(machineKey(runtime, machine.threads));
    const onPhase: SessionOptions['onPhase'] = (phase, _name, operations = 0) => {
      if (phase === 'compiled') compileTime.took(operations);
      if (phase !== 'compile') return;
      const seconds = Math.ceil(compileTime.begins(operations));
      if (seconds > WORTH_REPORTING_SECONDS)
        emit({ event: 'compiling', seconds, message: localized('run.compiling', { seconds }) });
    };
    const { bfloat16Pays } = await import('./matrix-product.js');
    // `auto` leaves the choice to the engine only if there is something to gain from it.
    const only32 = runtime.precision === 'auto' && !(await bfloat16Pays(runtime, machine.threads));
    const precision = only32 ? 'f32' : runtime.precision;
    return { ...runtime, precision, createSession: (options) => runtime.createSession({ onPhase, ...options }) };
  };
  return (machine, trains) => (loading ??= load(machine, trains));
}

/** Reports that the rest is for a process with TensorFlow. */
export const needsProcessor = new UserError(stopped);

/** Loads the graphics card if it is faster, which is measured once. @throws `needsProcessor` in the window, which has no TensorFlow */
async function loadFaster(
  loadOn: (device: MachineConfig['device']) => Promise<Runtime>,
  threads: number | null,
  emit: (event: JobEvent) => void,
): Promise<Runtime> {
  const figures = cardFigures(threads);
  const isWindow = 'electron' in process.versions;
  if (!figures.isMeasured()) {
    const { measureCard } = await import('./card-check.js');
    if (!isWindow) {
      const runtime = await loadOn('auto');
      if (runtime.device === 'cuda') return runtime;
      const { measurePeaks } = await import('./matrix-product.js');
      figures.storeProcessor(await measurePeaks(runtime, threads));
    }
    // A driver that ends this process is not tried again.
    figures.storeCard(null);
    figures.storeCard(await measureCard(() => loadOn('webgpu')));
  }
  const card = figures.card();
  if (card && isFaster(card)) {
    const { name, times } = card;
    emit(notice('graphics_card', localized('runtime.trains_on_card', { name, times: measure(times, 2) })));
    return loadOn('webgpu');
  }
  if (isWindow) throw needsProcessor;
  return loadOn('auto');
}
