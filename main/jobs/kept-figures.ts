/**
 * What was measured of this machine and need not be measured again: a file of the cache folder, one number under each
 * name. It may be removed at any time; what cannot be read or written is measured again.
 */
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { stableJson } from '../engine/stable-json.js';
import type { Runtime } from '../engine/runtime/types.js';
import { writeFileAtomic } from '../storage/atomic.js';
import { readText } from '../storage/file-bytes.js';
import { cacheFolder } from '../storage/tensorflow-location.js';

const schema = z.record(z.string(), z.number().positive());

export interface KeptFigures {
  get(key: string): number | undefined;
  set(key: string, figure: number): void;
}

/** @param file in place of `name` in the cache folder */
export function keptFigures(name: string, file: string = join(cacheFolder(), name)): KeptFigures {
  const read = (): z.infer<typeof schema> => {
    try {
      return schema.parse(JSON.parse(readText(file)));
    } catch {
      return {};
    }
  };
  return {
    get: (key) => read()[key],
    set(key, figure) {
      try {
        // Read again: another process may have added to it.
        writeFileAtomic(file, `${stableJson({ ...read(), [key]: figure }, 2)}\n`);
      } catch {
        // A cache that cannot be written is no reason not to train.
      }
    },
  };
}

/** What a speed depends on: processor, threads, device, TensorFlow. */
export function machineKey({ version, device }: Pick<Runtime, 'version' | 'device'>, threads: number | null): string {
  return [cpus()[0]?.model.trim(), threads ?? availableParallelism(), device, version].join(', ');
}
