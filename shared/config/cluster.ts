/** Several processes that work on one run, on one machine or many: who they are, and how they exchange what they computed. */
import { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

export const clusterShape = {
  cluster: parameter(z.string().min(1).nullable().default(null), {
    label: 'Members',
    help: 'Where the processes listen that work on this run together, by rank: host0:port,host1:port. Unset takes what torchrun, mpirun, Slurm, Kubernetes, SkyPilot or TF_CONFIG say, and else works alone (docs/clusters.md).',
    advanced: true,
  }),
  rank: parameter(whole(0, 1023).nullable().default(null), {
    label: 'Rank',
    help: 'Which of the members this process is, from 0; rank 0 keeps what is made.',
    advanced: true,
  }),
  cluster_timeout: parameter(real(1, 86_400).default(600), {
    label: 'Patience with members',
    help: 'Seconds that a member is waited for which takes no part, before the run ends; one that is gone is noticed in some ten seconds.',
    advanced: true,
  }),
  cluster_sums: parameter(z.enum(['f32', 'bf16']).default('f32'), {
    label: 'Sums between members',
    help: 'What gradients travel as: 32-bit numbers, or 16-bit ones (bfloat16), half as much and a little coarser, for slow connections.',
    advanced: true,
  }),
  cluster_every: parameter(whole(1, 10_000).default(1), {
    label: 'Steps between averages',
    help: 'In base training: 1 adds up gradients at every step. More lets every member take so many steps by itself, each on its share of the passages, before weights are averaged (DiLoCo): much less travels, for slow connections, and another model comes of it. A stop waits for the next average.',
    advanced: true,
  }),
  cluster_network: parameter(z.enum(['loopback', 'private']).default('loopback'), {
    label: 'Network of members',
    help: 'Where members may be: on this machine alone, or also on a private network that you trust, since what they send is not encrypted. Public addresses are always refused.',
    advanced: true,
  }),
};

const clusterConfigSchema = z.object(clusterShape);
export type ClusterConfig = z.infer<typeof clusterConfigSchema>;

/** A command's settings without these: how many work on it is no part of what a run is. */
export function withoutCluster<C extends object>(config: C): Omit<C, keyof ClusterConfig> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !(key in clusterShape))) as C;
}

/** These of a command's settings; those it has not are as they are by default. */
export const onlyCluster = (config: object): ClusterConfig =>
  clusterConfigSchema.parse(Object.fromEntries(Object.entries(config).filter(([key]) => key in clusterShape)));
