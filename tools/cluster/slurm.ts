/** Slurm of one machine: its controller and its node's daemon, with files in a folder of their own, for as long as they are used. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../tests/cluster/ranks.js';
import { startOne, type Started } from './start.js';

interface Programs {
  readonly slurmctld: string;
  readonly slurmd: string;
  readonly srun: string;
}

const SECONDS_TO_BEGIN = 60;

/** Nobody has to prove who he is, and nothing is kept apart by cgroups: only this machine, and only for this. */
const configuration = (folder: string, controller: number, node: number) => {
  const host = hostname().split('.')[0] ?? '';
  return `ClusterName=verisim
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controller}
SlurmUser=${userInfo().username}
SlurmdUser=${userInfo().username}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
StateSaveLocation=${join(folder, 'state')}
SlurmdSpoolDir=${join(folder, 'spool')}
SlurmctldPidFile=${join(folder, 'slurmctld.pid')}
SlurmdPidFile=${join(folder, 'slurmd.pid')}
NodeName=localhost NodeHostname=${host} NodeAddr=127.0.0.1 Port=${node} CPUs=${availableParallelism()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
};

/** @throws Error with what the daemons say when no job can be run */
export async function withSlurm(
  { slurmctld, slurmd, srun }: Programs,
  use: (environment: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-slurm-'));
  const file = join(folder, 'slurm.conf');
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  writeFileSync(file, configuration(folder, await freePort(), await freePort()));
  const environment = { SLURM_CONF: file };
  const daemons: Started[] = [];
  try {
    daemons.push(startOne([slurmctld, '-D', '-f', file], environment));
    daemons.push(startOne([slurmd, '-D', '-f', file, '-N', 'localhost'], environment));
    const until = performance.now() + SECONDS_TO_BEGIN * 1000;
    for (;;) {
      const { code, output } = await startOne([srun, '--immediate=5', 'true'], environment).ended;
      if (code === 0) break;
      if (performance.now() > until) throw new Error(`Slurm runs no job: ${output}\n${await ended(daemons)}`);
      await wait(1000);
    }
    await use(environment);
  } finally {
    await ended(daemons);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends them, these and no other. @returns what they printed */
async function ended(daemons: readonly Started[]): Promise<string> {
  daemons.forEach(({ child }) => child.kill('SIGTERM'));
  return (await Promise.all(daemons.map(({ ended: end }) => end))).map(({ output }) => output).join('\n');
}
