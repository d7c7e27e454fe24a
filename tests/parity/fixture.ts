/**
 * Reads what make_fixtures.py wrote, and reports differences of the engine. The measure is the largest difference
 * in a tensor relative to the tensor's largest value: what float32 arithmetic promises for sums.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { selectPrefix } from '../../main/engine/model/named-arrays.js';
import { decodeSafetensors } from '../../main/formats/safetensors.js';
import type { NamedArrays } from '../../main/engine/types.js';
import { modelConfigSchema, type GPTConfig } from '../../shared/config/model.js';

/** The figure. PyTorch's own float32 is up to 5e-6 away from float64 here (`torch_float32_error`). */
export const TOLERANCE = 1e-5;

type Rows = readonly (readonly number[])[];
interface LossFact {
  readonly loss: number;
}

/** The .json of the tensors; every number is PyTorch's in float64. */
interface Facts {
  readonly config: Readonly<Record<string, number | boolean>>;
  readonly lm: LossFact & { readonly batch: Rows; readonly short_length: number };
  readonly adamw: {
    readonly beta1: number;
    readonly beta2: number;
    readonly weight_decay: number;
    readonly grad_clip: number;
    readonly learning_rates: readonly number[];
    readonly batches: readonly Rows[];
    readonly losses: readonly number[];
    readonly norms: readonly number[];
  };
  readonly reward: LossFact & { readonly ids: Rows; readonly targets: Rows; readonly cross_entropy: number };
  readonly grpo: {
    readonly group_size: number;
    readonly epsilon: number;
    readonly epsilon_high: number;
    readonly beta: number;
    readonly temperature: number;
    readonly ids: Rows;
    readonly prompt_lengths: readonly number[];
    readonly rewards: readonly number[];
    readonly advantages: readonly number[];
    readonly kl: number;
    readonly entropy: number;
    readonly clip_low: number;
    readonly clip_high: number;
    readonly fresh: LossFact;
    readonly grpo: LossFact;
    readonly dapo: LossFact;
    readonly dr_grpo: LossFact;
  };
}

const read = (file: string): Buffer => readFileSync(new URL(`./fixtures/${file}`, import.meta.url));

/** The tensors of one fixture file. */
export const readArrays = (name: string): NamedArrays => decodeSafetensors(read(`${name}.safetensors`), name).arrays;

/** Tensors and facts of one fixture. */
export function readFixture<F>(name: string): { readonly arrays: NamedArrays; readonly facts: F } {
  return {
    arrays: readArrays(name),
    facts: JSON.parse(read(`${name}.json`).toString('utf8')) as F,
  };
}

export interface ModelFixture {
  readonly name: string;
  readonly facts: Facts;
  readonly generator: GPTConfig;
  readonly reward: GPTConfig;
  /** The trunk's weights. */
  readonly weights: NamedArrays;
  /** Trunk and reward head. */
  readonly rewardWeights: NamedArrays;
  /** The tensors under a prefix, such as `lm.gradient.`. */
  expected(prefix: string): NamedArrays;
}

export function readModelFixture(name: 'bias' | 'nobias'): ModelFixture {
  const { arrays, facts } = readFixture<Facts>(name);
  const expected = (prefix: string): NamedArrays => {
    const found = selectPrefix(arrays, prefix);
    if (!found) throw new Error(`the fixture ${name} has no ${prefix}`);
    return found;
  };
  const all = expected('weights.');
  const trunk = Object.fromEntries(Object.entries(all).filter(([tensor]) => !tensor.startsWith('reward_head.')));
  return {
    name,
    facts,
    generator: modelConfigSchema.parse({ ...facts.config, dropout: 0, mode: 'generator' }),
    reward: modelConfigSchema.parse({ ...facts.config, dropout: 0, mode: 'reward' }),
    weights: trunk,
    rewardWeights: all,
    expected,
  };
}

/** Largest difference relative to the largest expected value; NaN when any number is NaN. */
export function relativeError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Number.NaN;
  let largest = 0;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i] ?? Number.NaN));
    difference = Math.max(difference, Math.abs((found[i] ?? Number.NaN) - (expected[i] ?? Number.NaN)));
  }
  return difference === 0 ? 0 : difference / largest;
}

/** Fails with the name and size of every difference, and when the names are not the same. */
export function expectParity(
  found: Readonly<Record<string, ArrayLike<number>>>,
  expected: NamedArrays,
  tolerance = TOLERANCE,
): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  const differences = Object.entries(expected).flatMap(([name, { data }]) => {
    const error = relativeError(found[name] ?? [], data);
    return error <= tolerance ? [] : [`${name}: ${error.toExponential(2)}`];
  });
  expect(differences).toEqual([]);
}

/** One number, held to the same measure. */
export function expectClose(found: number, expected: number, tolerance = TOLERANCE): void {
  const error = Math.abs(found - expected) / Math.max(Math.abs(expected), 1e-30);
  expect(error, `${String(found)} instead of ${String(expected)}`).toBeLessThanOrEqual(tolerance);
}
