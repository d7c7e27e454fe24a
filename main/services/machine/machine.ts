/** Describes the machine for the window: facts of the system at once, facts about TensorFlow from the trainer. */
import { cpus } from 'node:os';
import type { Machine, Settings } from '../../../shared/contract/machine.js';
import { toFault } from '../../../shared/errors.js';
import { usableCores } from '../../installation/environment.mjs';
import { cardFigures } from '../../jobs/machine/graphics-card.js';
import { freeMemory, memoryLimit } from '../../jobs/machine/memory.js';
import { freeBytes } from '../../storage/disk/disk.js';
import type { Supervisor } from '../../supervisor/types.js';

type RuntimeFacts = Pick<Machine, 'runtime' | 'tensorflow' | 'device' | 'gflops' | 'gflops_bf16' | 'notice'>;

const notKnown: RuntimeFacts = {
  runtime: 'starting',
  tensorflow: null,
  device: null,
  gflops: null,
  gflops_bf16: null,
  notice: null,
};

/** @param folder whose disk counts */
export function createMachine(options: {
  readonly supervisor: Pick<Supervisor, 'call'>;
  folder(): string;
  settings(): Pick<Settings, 'device' | 'threads'>;
  onChange(machine: Machine): void;
}) {
  let facts = notKnown;
  let looking = false;
  const current = (): Machine => ({
    platform: process.platform,
    processor: cpus()[0]?.model.trim() ?? '',
    cores: usableCores(),
    memory_total: memoryLimit(),
    memory_free: freeMemory(),
    disk_free: freeBytes(options.folder()) ?? 0,
    card: cardFigures(options.settings().threads).card(),
    ...facts,
  });
  const look = async (): Promise<void> => {
    try {
      facts = await options.supervisor.call('describe', options.settings());
    } catch (error) {
      // The trainer does not start: reported with the machine, and retried next time.
      facts = { ...notKnown, notice: toFault(error).message };
      looking = false;
    }
    options.onChange(current());
  };
  return {
    describe() {
      if (!looking) {
        looking = true;
        void look();
      }
      return current();
    },
  };
}
