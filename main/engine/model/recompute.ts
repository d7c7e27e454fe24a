/**
 * A branch of a block (attention, or the feed-forward network), of which the backward pass keeps less than tfjs would:
 * what is cheap is computed again when the derivative is wanted (gradient checkpointing, Chen et al. 2016; what is worth
 * it: Korthikanti et al. 2022, section 5). Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { after } from '../runtime/control-flow.js';
import { flatten, type TensorTree } from '../runtime/tree.js';
import { noiseOf, type DropoutNoise } from './dropout.js';
import { completed, linear, product } from './layers.js';

/** x → norm → layers side by side → one result. */
export interface Branch<Norm extends TensorTree, Own extends TensorTree, Given extends TensorTree> {
  readonly norm: Norm;
  normed(norm: Norm, x: tf.Tensor): tf.Tensor;
  readonly layers: readonly Affine<tf.Tensor>[];
  /** What the rest of it learns, and what it is given besides. */
  readonly own: Own;
  readonly given: Given;
  /** How many of its places drop out. */
  readonly sites: number;
  /** What the rest makes of the layers' results, (B, T, out) each. A function of these alone. */
  mix(projected: readonly tf.Tensor[], own: Own, given: Given, noise: DropoutNoise | undefined): tf.Tensor;
}

/** What is the same for every branch of a network. */
export interface BranchOptions {
  /**
   * `selective` keeps x and the products of the layers, and computes norms, attention's scores and gates again; `full` keeps
   * x alone.
   */
  readonly recomputation: Recomputation;
  /** Left out where nothing drops out. */
  readonly noise: DropoutNoise | undefined;
}

type Save = (tensors: readonly tf.Tensor[]) => void;

/** What a branch makes of x. (B, T, C) */
export function branch<Norm extends TensorTree, Own extends TensorTree, Given extends TensorTree>(
  x: tf.Tensor,
  parts: Branch<Norm, Own, Given>,
  { recomputation, noise }: BranchOptions,
): tf.Tensor {
  const { normed, mix, sites } = parts;
  const learned = flatten([parts.norm, parts.layers, parts.own] as const);
  // The same noise when it is computed again.
  const constant = flatten([parts.given, noise && Array.from({ length: sites }, () => noise.nextKey())] as const);
  const op = tf.customGrad((...args) => {
    const save = args.at(-1) as unknown as Save;
    const [at, ...leaves] = args.slice(0, -1) as [tf.Tensor, ...tf.Tensor[]];
    const [norm, layers, own] = learned.rebuild(leaves);
    const [given, keys] = constant.rebuild(constant.leaves);
    const input = normed(norm, at);
    const products = layers.map((layer) => product(layer, input));
    save([at, ...leaves, ...constant.leaves, ...(recomputation === 'selective' ? products : [])]);
    const projected = layers.map((layer, i) => completed(layer, products[i] as tf.Tensor, input));
    const gradFunc = (dy: tf.Tensor, saved: unknown) => {
      const [x, ...rest] = saved as [tf.Tensor, ...tf.Tensor[]];
      const [norm, layers, own] = learned.rebuild(rest.slice(0, leaves.length));
      const then = leaves.length + constant.leaves.length;
      const [given, keys] = constant.rebuild(rest.slice(leaves.length, then));
      return slopes(after(x, dy), { ...parts, norm, layers, own, given, keys }, dy, rest.slice(then));
    };
    return { value: mix(projected, own, given, keys && noiseOf(keys)), gradFunc };
  });
  return op(x, ...learned.leaves);
}

/** The derivatives by x and by each of norm, layers and own, in their order. @param products none: they are made again */
function slopes<Norm extends TensorTree, Own extends TensorTree, Given extends TensorTree>(
  x: tf.Tensor,
  parts: Branch<Norm, Own, Given> & { readonly keys: readonly tf.Tensor[] | undefined },
  dy: tf.Tensor,
  products: readonly tf.Tensor[],
): tf.Tensor[] {
  const { norm, normed, layers, own, given, keys, mix } = parts;
  const input = normed(norm, x);
  const projected = layers.map((layer, i) => {
    const kept = products[i];
    return kept ? completed(layer, after(kept, dy), input) : linear(layer, input);
  });
  const ofOwn = flatten(own);
  const mixed = gradientsAt(
    (at) => mix(at.slice(0, layers.length), ofOwn.rebuild(at.slice(layers.length)), given, keys && noiseOf(keys)),
    [...projected, ...ofOwn.leaves],
    dy,
  );
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

/**
 * Derivatives of f at given tensors, inside of another derivative: tfjs forgets the outer tape at the end of the inner
 * one, so that is put back.
 */
function gradientsAt(
  f: (at: readonly tf.Tensor[]) => tf.Tensor,
  at: readonly tf.Tensor[],
  dy: tf.Tensor,
): readonly tf.Tensor[] {
  const engine = tf.engine();
  const { activeTape } = engine.state;
  try {
    const { grads } = engine.gradients(() => f(at), [...at], dy);
    grads.forEach((slope, i) => {
      if (!(slope as tf.Tensor | undefined))
        throw new Error(`what is computed again does not depend on its input ${i}`);
    });
    return grads;
  } finally {
    engine.state.activeTape = activeTape;
  }
}
