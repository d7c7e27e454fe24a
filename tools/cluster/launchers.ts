/** The sample run by two ranks that torchrun, mpirun or Slurm start, on this machine; each of them the real program. */
import { dirname, join } from 'node:path';
import { findProgram } from '../../scripts/setup/run.mjs';
import { installCommand, SetupProblem } from '../../scripts/setup/report.mjs';
import { program } from '../../tests/cli/program.js';
import { freePort } from '../../tests/cluster/ranks.js';
import { peersPython } from '../bench/peers.js';
import { withSlurm } from './slurm.js';
import { startOne, type Place } from './start.js';
import { differenceFrom, finished, lossesOf, mustHaveEnded, type Losses, type Workshop } from './workshop.js';

export const launcherNames = ['torchrun', 'mpirun', 'slurm'] as const;
export type LauncherName = (typeof launcherNames)[number];

/** How a command begins that starts two ranks of what follows, while `use` lasts. */
type Launcher = (
  use: (before: readonly string[], environment: Place['environment']) => Promise<void>,
  say: (line: string) => void,
) => Promise<void>;

function mustFind(name: string, packageName: string): string {
  // Where daemons lie, which not everybody has in his path.
  const found = findProgram([name, `/usr/sbin/${name}`]);
  if (found) return found;
  throw new SetupProblem(`${name} was not found`, installCommand(packageName));
}

export const launchers: Readonly<Record<LauncherName, Launcher>> = {
  async torchrun(use, say) {
    const torchrun =
      findProgram(['torchrun']) ?? join(dirname(await peersPython(process.cwd(), null, say)), 'torchrun');
    const port = String(await freePort());
    await use([torchrun, '--nproc_per_node', '2', '--master_port', port, '--no-python'], { CUDA_VISIBLE_DEVICES: '' });
  },
  async mpirun(use) {
    const mpirun = mustFind('mpirun', 'openmpi-bin');
    const asRoot = process.getuid?.() === 0 ? ['--allow-run-as-root'] : [];
    const port = String(await freePort());
    await use([mpirun, ...asRoot, '--oversubscribe', '-n', '2'], { MASTER_PORT: port });
  },
  async slurm(use) {
    const programs = {
      slurmctld: mustFind('slurmctld', 'slurm-wlm'),
      slurmd: mustFind('slurmd', 'slurm-wlm'),
      srun: mustFind('srun', 'slurm-wlm'),
    };
    const port = String(await freePort());
    await withSlurm(programs, async (environment) => {
      await use([programs.srun, '--ntasks', '2', '--overcommit'], { ...environment, MASTER_PORT: port });
    });
  },
};

/** @throws Error when two ranks so started do not end well, or lose something else than one process */
export async function launchedBy(name: LauncherName, workshop: Workshop, reference: Losses): Promise<void> {
  await launchers[name](
    async (before, environment) => {
      const command = [...before, process.execPath, program, ...workshop.args(name)];
      const outcomes = await finished([startOne(command, environment)]);
      mustHaveEnded(outcomes, 2);
      const difference = differenceFrom(reference, lossesOf(workshop, name));
      const [, by] = /rank \d of 2 \(([^)]*)\)/.exec(outcomes[0]?.output ?? '') ?? [];
      console.log(`${name}: two ranks (${by}), losses within ${difference.toExponential(1)} of one process`);
    },
    (line) => console.error(line),
  );
}
