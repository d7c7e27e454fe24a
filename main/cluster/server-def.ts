/** Encodes tensorflow.ServerDef and ConfigProto. (tensorflow/core/protobuf/{tensorflow_server,cluster,config}.proto) */
import { concatBytes } from '../../shared/base/bytes.js';
import { int, message, text, type Bytes } from '../engine/runtime/protobuf.js';

export const taskOf = (rank: number) => `/job:worker/replica:0/task:${rank}`;
export const deviceOf = (rank: number): string => `${taskOf(rank)}/device:CPU:0`;

/** Encodes a ConfigProto without GPUs: exchanges go through main memory, and the card is left to the computation. */
export const configProto = (): Bytes => message(1, [text(1, 'GPU'), int(2, 0)]); // device_count = 1

/** @param members "host:port" by rank */
export function serverDef(members: readonly string[], rank: number): Bytes {
  const tasks = members.map((address, index) => message(2, [int(1, index), text(2, address)]));
  const cluster = message(1, [message(1, [text(1, 'worker'), ...tasks])]);
  // Experimental.collective_group_leader = 1, in ConfigProto.experimental = 16.
  const config = message(4, [configProto(), message(16, [text(1, taskOf(0))])]);
  return concatBytes([cluster, text(2, 'worker'), int(3, rank), config, text(5, 'grpc')]);
}
