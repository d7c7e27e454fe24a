/** Loads the native module with TensorFlow's collectives (scripts/setup/collectives.cc) and gives it types. */
import { localized } from '../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { UserError } from '../../shared/errors.js';

type Numbers = Float32Array | Int32Array;

export interface Collectives {
  /** Starts TensorFlow's server, once per process. @param host the only IPv4 address it listens on */
  open(serverDef: Uint8Array, configProto: Uint8Array, device: string, host: string, port: number): void;
  /** @param into receives the result; may be `values`. Neither may change until the promise settles */
  run<V extends Numbers>(
    op: 'CollectiveReduceV2' | 'CollectiveGatherV2' | 'CollectiveBcastSendV2' | 'CollectiveBcastRecvV2',
    values: V,
    into: V,
    groupSize: number,
    groupKey: number,
    instance: number,
    timeoutSeconds: number,
  ): Promise<V>;
  abort(message: string): void;
  /** @returns what is wrong with another member; '' for nothing */
  health(task: string, milliseconds: number): Promise<string>;
}

/** @throws UserError `runtime_missing` */
export function loadCollectives(file: string): Collectives {
  if (existsSync(file)) return createRequire(file)(file) as Collectives;
  throw new UserError({
    code: 'runtime_missing',
    message: localized('cluster.several_processes_can_work_together'),
    hint: localized('cluster.run_setup'),
  });
}
