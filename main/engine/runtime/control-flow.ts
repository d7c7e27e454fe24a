/** Control flow of compiled functions, which also works eagerly: loops, order of computation, segments. */
import * as tf from '@tensorflow/tfjs';
import type { Tensor } from '@tensorflow/tfjs';
import { tracerOf } from './tracer.js';
import { flatten, type TensorTree } from './tree.js';

/**
 * Computes the next state while `condition` holds: one graph when compiled, a JavaScript loop when not. Both functions may use
 * tensors and variables around them, but not assign; the state keeps its structure, types and shapes.
 * @param condition returns one scalar of type bool
 * @returns the last state, new tensors
 */
export function whileLoop<const S extends TensorTree>(
  condition: (state: S) => Tensor,
  body: (state: S) => S,
  state: S,
): S {
  const { leaves, rebuild } = flatten(state);
  const conditionOf = (...args: Tensor[]): Tensor => condition(rebuild(args));
  const bodyOf = (...args: Tensor[]): readonly Tensor[] => flatten(body(rebuild(args))).leaves;
  const traced = tracerOf(tf.backend())?.whileLoop((...args) => [conditionOf(...args)], bodyOf, leaves);
  if (traced) return rebuild(traced);
  let current: readonly Tensor[] = leaves.map((tensor) => tensor.clone());
  while (tf.tidy(() => conditionOf(...current).dataSync()[0])) {
    // Cloned, since a body may return a tensor of the old state, which is disposed.
    const next = tf.tidy(() => bodyOf(...current).map((tensor) => tensor.clone()));
    tf.dispose([...current]);
    current = next;
  }
  return rebuild(current);
}

/**
 * Returns `x`, computed no earlier than the others. Also keeps XLA from merging a recomputation with the original. No gradient.
 */
export const after = (x: Tensor, ...others: readonly Tensor[]): Tensor => tracerOf(tf.backend())?.after(x, others) ?? x;

/** Begins a segment of a compiled function (segments.ts). @param kind segments are counted by kind */
export const beginSegment = (kind: string): void => tracerOf(tf.backend())?.beginSegment(kind);

/** Returns `x`, with which a segment begins; its derivative begins one of the backward pass. For each block of a network. */
export function segmentFrom(x: Tensor): Tensor {
  if (!tracerOf(tf.backend())?.tracing) return x;
  const same = tf.customGrad((at) => {
    beginSegment('block');
    return {
      value: tf.clone(at as Tensor),
      gradFunc: (dy: Tensor) => {
        beginSegment('derivative');
        return tf.clone(dy);
      },
    };
  });
  return same(x);
}

/**
 * Computes what would make blocks differ, such as their keys, in the first segment, so that it is passed to them.
 * @param make of arguments, variables and constants alone
 */
export const atStart = <T>(make: () => T): T => tracerOf(tf.backend())?.atStart(make) ?? make();

/** Calls `make` for each parameter in order, with a segment for each block. @param kind of the segments */
export function blockByBlock<T, R>(
  kind: string,
  named: Readonly<Record<string, T>>,
  make: (name: string, value: T) => R,
): R[] {
  let block: string | undefined;
  return Object.entries(named).map(([name, value]) => {
    const own = /\.\d+\./.exec(name)?.[0] ?? '';
    if (own !== block) beginSegment(kind);
    block = own;
    return make(name, value);
  });
}
