/** Settings for several processes that work on one run, on one machine or several. */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

export const clusterShape = {
  cluster: parameter(z.string().min(1).nullable().default(null), { option: 'cluster', advanced: true }),
  rank: parameter(whole(0, 1023).nullable().default(null), { option: 'rank', advanced: true }),
  cluster_network: parameter(z.enum(['loopback', 'trusted']).default('loopback'), {
    option: 'cluster_network',
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
