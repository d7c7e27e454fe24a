/**
 * A branch of a block (attention or feed-forward network) whose backward pass stores less than tfjs would and recomputes what is
 * cheap (gradient checkpointing, Chen et al. 2016; what is worth it: Korthikanti et al. 2022, section 5). Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { after } from '../runtime/control-flow.js';
import { flatten } from '../runtime/tree.js';
import type { View } from './attention.js';
import { noiseOf, type DropoutNoise } from './dropout.js';
import { completed, linear, product } from './layers.js';

export type Layer = Affine<tf.Tensor>;

/** Weights of a branch after its layers. */
export type BranchWeights = {
  readonly projection: Layer;
  /** Of each head's queries and keys, in attention. */
  readonly headNorms?: { readonly q: Layer; readonly k: Layer } | undefined;
};

/** x → norm → layers of one input → one result. */
interface Branch {
  readonly norm: Layer | undefined;
  normed(norm: Layer | undefined, x: tf.Tensor): tf.Tensor;
  readonly layers: readonly Layer[];
  readonly own: BranchWeights;
  readonly view: Pick<View, 'angles' | 'mask'>;
  /** The number of dropout layers. */
  readonly sites: number;
  /** The result from those of the layers, (B, T, out) each; depends on nothing else. */
  mix(projected: readonly tf.Tensor[], own: BranchWeights, view: View): tf.Tensor;
}

interface BranchOptions {
  /** `selective` stores x and the layers' products, `full` x alone. */
  readonly recomputation: Recomputation;
  /** Undefined without dropout. */
  readonly noise: DropoutNoise | undefined;
}

type Save = (tensors: readonly tf.Tensor[]) => void;

/** Applies a branch to x. (B, T, C) */
export function branch(x: tf.Tensor, parts: Branch, { recomputation, noise }: BranchOptions): tf.Tensor {
  const { normed, mix, sites } = parts;
  const learned = flatten([parts.norm, parts.layers, parts.own] as const);
  // The same noise for the recomputation.
  const constant = flatten([parts.view, noise && Array.from({ length: sites }, () => noise.nextKey())] as const);
  const op = tf.customGrad((...args) => {
    const save = args.at(-1) as unknown as Save;
    const [at, ...leaves] = args.slice(0, -1) as [tf.Tensor, ...tf.Tensor[]];
    const [norm, layers, own] = learned.rebuild(leaves);
    const [view, keys] = constant.rebuild(constant.leaves);
    const input = normed(norm, at);
    const products = layers.map((layer) => product(layer, input));
    save([at, ...leaves, ...constant.leaves, ...(recomputation === 'selective' ? products : [])]);
    const projected = layers.map((layer, i) => completed(layer, products[i] as tf.Tensor, input));
    const gradFunc = (dy: tf.Tensor, saved: unknown) => {
      const [x, ...rest] = saved as [tf.Tensor, ...tf.Tensor[]];
      const [norm, layers, own] = learned.rebuild(rest.slice(0, leaves.length));
      const then = leaves.length + constant.leaves.length;
      const [view, keys] = constant.rebuild(rest.slice(leaves.length, then));
      return gradients(after(x, dy), { ...parts, norm, layers, own, view, keys }, dy, rest.slice(then));
    };
    return { value: mix(projected, own, { ...view, noise: keys && noiseOf(keys) }), gradFunc };
  });
  return op(x, ...learned.leaves);
}

/** Derivatives by x and by each of norm, layers and own. @param products empty if they are recomputed */
function gradients(
  x: tf.Tensor,
  parts: Branch & { readonly keys: readonly tf.Tensor[] | undefined },
  dy: tf.Tensor,
  products: readonly tf.Tensor[],
): tf.Tensor[] {
  const { norm, normed, layers, own, view, keys, mix } = parts;
  const input = normed(norm, x);
  const projected = layers.map((layer, i) => {
    const stored = products[i];
    return stored ? completed(layer, after(stored, dy), input) : linear(layer, input);
  });
  const ofOwn = flatten(own);
  const mixAt = (at: readonly tf.Tensor[]) => {
    const noise = keys && noiseOf(keys);
    return mix(at.slice(0, layers.length), ofOwn.rebuild(at.slice(layers.length)), { ...view, noise });
  };
  const mixed = gradientsAt(mixAt, [...projected, ...ofOwn.leaves], dy);
  const ofLayers = layers.map((layer, i) => {
    const { leaves, rebuild } = flatten(layer);
    const linearAt = ([x, ...at]: readonly tf.Tensor[]) => linear(rebuild(at), x as tf.Tensor);
    return gradientsAt(linearAt, [input, ...leaves], mixed[i] as tf.Tensor);
  });
  const dInput = tf.addN(ofLayers.map(([first]) => first as tf.Tensor));
  const ofNorm = flatten(norm);
  const normedAt = ([x, ...at]: readonly tf.Tensor[]) => normed(ofNorm.rebuild(at), x as tf.Tensor);
  const [dx, ...dNorm] = gradientsAt(normedAt, [x, ...ofNorm.leaves], dInput);
  return [dx as tf.Tensor, ...dNorm, ...ofLayers.flatMap(([, ...rest]) => rest), ...mixed.slice(layers.length)];
}

/** Derivatives of f within another derivative; tfjs would lose the outer tape. */
function gradientsAt(
  f: (at: readonly tf.Tensor[]) => tf.Tensor,
  at: readonly tf.Tensor[],
  dy: tf.Tensor,
): readonly tf.Tensor[] {
  const engine = tf.engine();
  const { activeTape } = engine.state;
  try {
    const { grads } = engine.gradients(() => f(at), [...at], dy);
    grads.forEach((grad, i) => {
      if (!(grad as tf.Tensor | undefined)) throw new Error(`the recomputation does not depend on its input ${i}`);
    });
    return grads;
  } finally {
    engine.state.activeTape = activeTape;
  }
}
