/** Settings for several processes that work on one run, on one machine or several. */
import { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

export const clusterShape = {
  cluster: parameter(z.string().min(1).nullable().default(null), {
    label: 'Members',
    help: 'The addresses of the processes that work on this run together, by rank: host0:port,host1:port. Unset reads torchrun’s variables (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) or Slurm’s, and without them works alone (docs/clusters.md).',
    advanced: true,
  }),
  rank: parameter(whole(0, 1023).nullable().default(null), {
    label: 'Rank',
    help: 'Which of the members this process is, from 0; rank 0 stores the results.',
    advanced: true,
  }),
  cluster_timeout: parameter(real(1, 86_400).default(600), {
    label: 'Patience with members',
    help: 'Seconds to wait for a member that takes no part before the run ends; one that has died is noticed in about ten seconds.',
    advanced: true,
  }),
  cluster_network: parameter(z.enum(['loopback', 'trusted']).default('loopback'), {
    label: 'Network of members',
    help: 'loopback: members are on this machine only. trusted: they may have private addresses, on a network where every machine and user can be trusted (WireGuard, ssh tunnels), since members neither encrypt nor authenticate. Public addresses are always refused.',
    advanced: true,
  }),
};

const clusterConfigSchema = z.object(clusterShape);
export type ClusterConfig = z.infer<typeof clusterConfigSchema>;

/** Removes these settings from a command's: the number of processes is not part of what a run is. */
export function withoutCluster<C extends object>(config: C): Omit<C, keyof ClusterConfig> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !(key in clusterShape))) as C;
}

/** Picks these settings from a command's, with defaults for missing ones. */
export const onlyCluster = (config: object): ClusterConfig =>
  clusterConfigSchema.parse(Object.fromEntries(Object.entries(config).filter(([key]) => key in clusterShape)));
