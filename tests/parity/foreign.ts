/** Reads what make_foreign.py wrote: models of other programs, and what PyTorch and transformers compute with them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as tf from '@tensorflow/tfjs';
import { createParameters, lastHidden, lmLogits, rewardProbabilities, trunk } from '../../main/engine/model/model.js';
import type { NamedArrays } from '../../main/engine/types.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { intTensor, take, withSession } from './engine.js';

export interface ForeignFacts {
  readonly config: GPTConfig;
  readonly ids: readonly (readonly number[])[];
  /** Logits of a generator, probabilities of a reward model; in float64, rounded to float32. */
  readonly output: NestedNumbers;
  /** The same with GPT-2's tanh approximation in place of GELU. */
  readonly output_gelu_new?: NestedNumbers;
  /** The beginning of each tensor's SHA-256, under Verisim's names and in its layout. */
  readonly tensors: Readonly<Record<string, string>>;
}
type NestedNumbers = readonly (number | NestedNumbers)[];

export const foreignFile = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/foreign/${name}`, import.meta.url));

export const readForeign = (name: string): Buffer => readFileSync(foreignFile(name));

const facts = JSON.parse(readForeign('foreign.json').toString('utf8')) as Readonly<Record<string, ForeignFacts>>;

export function foreignFacts(name: string): ForeignFacts {
  const found = facts[name];
  if (!found) throw new Error(`foreign.json has no ${name}`);
  return found;
}

export const flat = (numbers: NestedNumbers): number[] =>
  numbers.flatMap((value) => (typeof value === 'number' ? [value] : flat(value)));

export function tensorHashes(weights: NamedArrays): Record<string, string> {
  return Object.fromEntries(
    Object.entries(weights).map(([name, { data }]) => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      return [name, createHash('sha256').update(bytes).digest('hex').slice(0, 16)];
    }),
  );
}

/** What the engine computes on TensorFlow: logits of a generator, probabilities of a reward model. */
export function outputOf(
  config: GPTConfig,
  weights: NamedArrays,
  ids: readonly (readonly number[])[],
): Promise<Float32Array> {
  return withSession('eager', (session) => {
    const parameters = createParameters(session, weights);
    const result = tf.tidy(() => {
      const hidden = trunk({ ...config, dropout: 0 }, parameters, intTensor(ids));
      return config.mode === 'generator'
        ? lmLogits(config, parameters, hidden)
        : rewardProbabilities(parameters, lastHidden(hidden));
    });
    return take(['output'], [result])['output'] ?? new Float32Array();
  });
}
