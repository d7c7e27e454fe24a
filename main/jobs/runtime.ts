/** Loads the engine's runtime when a job first asks for it, as the settings say; the fallback is told in one line. */
import type { JobEvent } from '../../shared/events.js';
import { machineConfigSchema } from '../../shared/config/machine.js';
import type { Runtime } from '../engine/runtime/types.js';
import type { JobContext } from './types.js';

export function createRuntimeLoader(
  config: Readonly<Record<string, unknown>>,
  emit: (event: JobEvent) => void,
): JobContext['runtime'] {
  let loading: Promise<Runtime> | null = null;
  const load: JobContext['runtime'] = async (chosen) => {
    const [{ findTensorflow }, { loadRuntime }] = await Promise.all([
      import('../storage/tensorflow-location.js'),
      import('../engine/runtime/native.js'),
    ]);
    const machine = chosen ?? machineConfigSchema.parse(config);
    const runtime = await loadRuntime({
      ...findTensorflow(),
      threads: machine.threads,
      device: machine.device,
      precision: machine.precision,
    });
    if (runtime.notice !== null) {
      emit({ event: 'notice', level: 'warning', code: 'runtime_fallback', message: runtime.notice });
    }
    return runtime;
  };
  return (machine) => (loading ??= load(machine));
}
