/**
 * What an architecture computes: initial values of the parameters that shared/architectures declares, and one forward pass for
 * training and generation. architectures.ts is the table.
 *
 * Shapes in comments: B batch, T time, C width (n_embd), H heads, D width of a head, L length of the cache, V vocabulary.
 */
import type * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { DropoutNoise } from './dropout.js';
import type { Parameters } from './parameters.js';

/** Keys and values of one layer, (B, H, L, D) each. */
export type KeysValues = { readonly keys: tf.Tensor; readonly values: tf.Tensor };

/** Keys and values of previous tokens (Shazeer 2019, section 2.3). */
export interface Cache {
  /** int32 scalar: the token's, below L. */
  readonly position: tf.Tensor;
  readonly layers: readonly KeysValues[];
}

export interface Pass {
  /** (B, T, C); (B, C) with a cache. */
  readonly hidden: tf.Tensor;
  /** Keys and values of the tokens, or the cache with the token's own. */
  readonly layers: readonly KeysValues[];
}

export interface Given {
  readonly noise?: DropoutNoise | undefined;
  readonly cache?: Cache;
  readonly recomputation?: Recomputation | undefined;
}

/** A trunk, within a compiled function. */
export interface Network {
  /**
   * @param ids int32 (B, T): whole passages; with a cache, (B): the next token of each
   * @param noise of dropout; without it nothing is dropped
   * @param recomputation what the backward pass recomputes, if the architecture can (recompute.ts); there are no `layers` then
   */
  forward(ids: tf.Tensor, given?: Given): Pass;
  /** Next-token scores (…, V) of hidden states (…, C). */
  logits(hidden: tf.Tensor): tf.Tensor;
  /** The layer that computes logits. */
  readonly head: Affine<tf.Tensor>;
  /** The bound of logits (`capped` of layers.ts). */
  readonly cap?: number | null;
}

export interface Architecture {
  /** Standard deviation of an initial matrix; vectors are ones (scales) or zeros (biases). */
  initialStd(config: GPTConfig, name: string): number;
  /** @param manyCalls prepares matrices for calls with one token each */
  network(config: GPTConfig, parameters: Parameters, manyCalls?: boolean): Network;
  /** An empty cache, which the caller disposes. */
  emptyLayers(config: GPTConfig, rows: number, length: number): KeysValues[];
}
