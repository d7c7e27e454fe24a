/** Loads the collectives (scripts/setup/collectives.cc) that lie beside TensorFlow's binding; what they can do, typed. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { UserError } from '../../shared/errors.js';

type Numbers = Float32Array | Int32Array;

export interface Collectives {
  /** Before `open`: TensorFlow's server listens at this address alone, and lets in who knows the key. */
  guard(listen: string, port: number, key: Uint8Array, peers: readonly string[]): void;
  /** Once a process. */
  open(serverDef: Uint8Array, configProto: Uint8Array, device: string): void;
  /**
   * @param values what this one gives; of what is only received it does not count
   * @param into filled with what comes of it, as much as that is; may be `values`. Both are left alone meanwhile
   * @param halved floats travel as bfloat16
   * @returns `into`
   */
  run<V extends Numbers>(
    op: 'CollectiveReduceV2' | 'CollectiveGatherV2' | 'CollectiveBcastSendV2' | 'CollectiveBcastRecvV2',
    values: V,
    into: V,
    halved: boolean,
    groupSize: number,
    groupKey: number,
    instance: number,
    timeoutSeconds: number,
  ): Promise<V>;
  abort(message: string): void;
  /** What is wrong with another member; '' for nothing. */
  health(task: string, milliseconds: number): Promise<string>;
}

/** @throws UserError `runtime_missing` */
export function loadCollectives(file: string): Collectives {
  if (existsSync(file)) return createRequire(file)(file) as Collectives;
  throw new UserError({
    code: 'runtime_missing',
    message:
      'Several processes can work together only with TensorFlow, and the part of it that connects them is missing.',
    hint: 'Run: npm run setup',
  });
}
