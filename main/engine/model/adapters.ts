/** Adapters (LoRA, Hu et al. 2021): trained and frozen parameters, frozen weights that networks share, merged matrices. */
import { isAdapter, adapterNames } from '../../../shared/architectures/adapters.js';
import { blockMatrices, isFrozen } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Precision, Session } from '../runtime/types.js';
import type { HostArray, NamedArrays } from '../types.js';
import { createParameters, type IsNarrow, type Parameters } from './parameters.js';

const pick = <T>(record: Readonly<Record<string, T>>, keep: (name: string) => boolean): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => keep(name)));

/** Parameters that are trained: all, or the adapters. */
export const trainedOf = <T>(config: GPTConfig, all: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  pick(all, (name) => !isFrozen(config, name));

/** Parameters that are frozen: none, or all but the adapters. */
export const frozenOf = <T>(config: GPTConfig, all: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  pick(all, (name) => isFrozen(config, name));

/** Stores frozen matrices as bfloat16 if products round them anyway: half the memory. Embedding and norms stay f32. */
export function shouldStoreAsBfloat16(config: GPTConfig, precision: Precision): IsNarrow {
  if (precision !== 'bf16' || !config.lora) return () => false;
  const matrices = blockMatrices(config);
  return (name) => isFrozen(config, name) && Object.hasOwn(matrices, name);
}

/** A network in a session: its weights and the variables that hold them. */
export interface Placed {
  readonly weights: NamedArrays;
  readonly parameters: Parameters;
}

/** Creates parameters, sharing equal frozen ones with a network of the session. */
export function createSharedParameters(
  session: Session,
  config: GPTConfig,
  weights: NamedArrays,
  prefix: string,
  there: Placed,
): Parameters {
  const isShared = (name: string) => isFrozen(config, name) && sameArray(weights[name], there.weights[name]);
  return {
    ...createParameters(
      session,
      pick(weights, (name) => !isShared(name)),
      prefix,
    ),
    ...pick(there.parameters, isShared),
  };
}

export function sameArray(a: HostArray | undefined, b: HostArray | undefined): boolean {
  if (!a || !b || String(a.shape) !== String(b.shape)) return false;
  if (a === b) return true;
  const [one, other] = [a.data, b.data];
  return one === other || one.every((value, i) => value === other[i]);
}

/** A network without its adapters: as it was before they were trained. Arrays are not copied. */
export function adaptersOff({ model, weights }: { readonly model: GPTConfig; readonly weights: NamedArrays }) {
  const { lora: _adapters, ...plain } = model;
  return { model: plain, weights: pick(weights, (name) => !isAdapter(name)) };
}

/** Merges adapters into their matrices; other arrays are not copied. @param onDemand at each use, without memory for all of them */
export function merged<M extends { readonly model: GPTConfig; readonly weights: NamedArrays }>(
  { model, weights }: M,
  onDemand = false,
) {
  const { lora } = model;
  if (!lora) return { model, weights };
  const scale = lora.alpha / lora.rank;
  const off = adaptersOff({ model, weights });
  const matrices = Object.entries(off.weights).map(([name, matrix]): [string, HostArray] => {
    const { down, up } = adapterNames(name);
    const [a, b] = [weights[down], weights[up]];
    if (!a || !b) return [name, matrix];
    const product: HostArray = {
      shape: matrix.shape,
      get data() {
        return withProduct(matrix, b, a, scale);
      },
    };
    return [name, onDemand ? product : { ...product }];
  });
  return { model: off.model, weights: Object.fromEntries(matrices) };
}

/** matrix + scale · up · down, rounded once. (out, in), (out, rank), (rank, in) */
function withProduct({ shape, data }: HostArray, up: HostArray, down: HostArray, scale: number): Float32Array {
  const [out = 0, inputs = 0] = shape;
  const [rank = 0] = down.shape;
  const [ups, downs] = [up.data, down.data];
  const result = new Float32Array(data.length);
  const added = new Float64Array(inputs);
  for (let row = 0; row < out; row++) {
    added.fill(0);
    const factor = (k: number) => (k < rank ? scale * (ups[row * rank + k] ?? NaN) : 0);
    // Four at once, which takes half the time, added in their order.
    for (let k = 0; k < rank; k += 4) {
      const [p, q, r, s] = [factor(k), factor(k + 1), factor(k + 2), factor(k + 3)];
      const from = k * inputs;
      for (let i = 0; i < inputs; i++) {
        const first = (added[i] ?? NaN) + p * (downs[from + i] ?? NaN) + q * (downs[from + inputs + i] ?? 0);
        added[i] = first + r * (downs[from + 2 * inputs + i] ?? 0) + s * (downs[from + 3 * inputs + i] ?? 0);
      }
    }
    const begin = row * inputs;
    for (let i = 0; i < inputs; i++) result[begin + i] = (data[begin + i] ?? NaN) + (added[i] ?? NaN);
  }
  return result;
}
