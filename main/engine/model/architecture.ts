/**
 * What an architecture computes: how its parameters, declared in shared/architectures, begin, and one forward pass for
 * training and for writing token by token. architectures.ts is the table.
 *
 * Shapes in comments: B batch, T time, C width (n_embd), H heads, of keys and values too where these are not grouped,
 * D width of a head, L length of the cache, V vocabulary.
 */
import type * as tf from '@tensorflow/tfjs';
import type { Affine } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { DropoutNoise } from './dropout.js';
import type { Parameters } from './parameters.js';

/** Keys and values of one layer, (B, H, L, D) each. */
export type KeysValues = { readonly keys: tf.Tensor; readonly values: tf.Tensor };

/** What is kept of the tokens before one (Shazeer 2019, section 2.3). */
export interface Cache {
  /** int32 scalar: the place of the token, below L. */
  readonly position: tf.Tensor;
  readonly layers: readonly KeysValues[];
}

export interface Pass {
  /** (B, T, C); (B, C) with a cache. */
  readonly hidden: tf.Tensor;
  /** Keys and values: those of the tokens given, or the whole cache with the token's own written into it. */
  readonly layers: readonly KeysValues[];
}

export interface Given {
  readonly noise?: DropoutNoise | undefined;
  readonly cache?: Cache;
  readonly recomputation?: Recomputation | undefined;
}

/** A trunk over given parameters; inside a compiled function. */
export interface Network {
  /**
   * @param ids int32 (B, T): whole passages; or, with a cache, (B): one more token of each
   * @param noise dropout acts only where it is given
   * @param recomputation how much of whole passages the backward pass computes again, where the architecture can (recompute.ts);
   *   then there are no `layers`
   */
  forward(ids: tf.Tensor, given?: Given): Pass;
  /** Next-token scores (…, V) of hidden states (…, C). */
  logits(hidden: tf.Tensor): tf.Tensor;
  /** The layer that makes them. */
  readonly head: Affine<tf.Tensor>;
  /** What bounds them (`capped` of layers.ts); left out: nothing does. */
  readonly cap?: number | null;
}

export interface Architecture {
  /** Standard deviation with which a matrix begins; vectors begin as ones (scales) and zeros (biases). */
  initialStd(config: GPTConfig, name: string): number;
  /** @param manyCalls one token after another: what every call would do again is done once */
  network(config: GPTConfig, parameters: Parameters, manyCalls?: boolean): Network;
  /** A cache of zeros. The caller's to dispose. */
  emptyLayers(config: GPTConfig, rows: number, length: number): KeysValues[];
}
