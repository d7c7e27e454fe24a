/**
 * Decoders as Hugging Face has them: rotary positions, RMSNorm before each branch of a block, heads that share keys and values.
 * llama.ts and modern.ts supply the parts. Shapes as in architecture.ts.
 */
import * as tf from '@tensorflow/tfjs';
import type { HeadCounts } from '../../../shared/architectures/decoder.js';
import type { Siblings } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { segmentFrom } from '../runtime/control-flow.js';
import type { Architecture, Given, KeysValues, Pass } from './architecture.js';
import { attention, emptyKeysValues, joinedOnce, outputs, viewOf, type View } from './attention.js';
import { dropout, type DropoutNoise } from './dropout.js';
import { capped, linear, rmsNorm, turned, unitRms } from './layers.js';
import type { Parameters } from './parameters.js';
import { branch, type BranchWeights, type Layer } from './recompute.js';
import type { Rotary } from './rotary.js';

/** Norm → layers of one input → attention or an activation → projection. */
interface BlockBranch extends BranchWeights {
  /** Absent: without weights. */
  readonly norm?: Layer;
  readonly layers: Siblings<tf.Tensor>;
}

type Shape = HeadCounts & Rotary & { readonly norm_epsilon: number };

interface Decoder {
  readonly embedding: Layer;
  readonly blocks: readonly { readonly attention: BlockBranch; readonly mlp: BlockBranch }[];
  readonly norm?: Layer;
  readonly head: Layer;
}

interface Parts {
  initialStd: Architecture['initialStd'];
  shapeOf(config: GPTConfig): Shape;
  decoderOf(config: GPTConfig, parameters: Parameters): Decoder;
  /** Bounds scores (`capped` of layers.ts). */
  capOf?(config: GPTConfig): number | null;
  /** Whether embeddings, and each head's queries and keys, have norms without weights. */
  readonly isNormed: boolean;
  /** (B, T, n_inner) from as many of each layer. */
  activation(projected: readonly tf.Tensor[]): tf.Tensor;
}

/** The forward pass, for training and generation alike; see Network. */
function forward(
  { shapeOf, isNormed, activation }: Parts,
  config: GPTConfig,
  decoder: Decoder,
  ids: tf.Tensor,
  given: Given = {},
): Pass {
  const shape = shapeOf(config);
  const { dropout: rate } = config;
  const { noise, cache, recomputation } = given;
  const [B = 0, T = 1] = ids.shape;
  const view = viewOf(shape, T, given);
  const normed = (norm: Layer | undefined, x: tf.Tensor) =>
    norm ? rmsNorm(norm, x, shape.norm_epsilon) : unitRms(x, shape.norm_epsilon);
  const attend = (projected: readonly tf.Tensor[], own: BranchWeights, seen: View, past?: KeysValues) => {
    const { projection, headNorms } = own;
    const norm = (heads: tf.Tensor, of: 'q' | 'k') => (headNorms || isNormed ? normed(headNorms?.[of], heads) : heads);
    return attention({ heads: shape, dropout: rate, norm }, projection, projected, seen, past);
  };
  const feed = (projected: readonly tf.Tensor[], { projection }: BranchWeights, drops?: DropoutNoise) =>
    dropout(linear(projection, activation(projected)), rate, drops);
  const light = recomputation && !cache && { recomputation, noise: rate > 0 ? noise : undefined };
  const lightly = ({ norm, layers, projection, headNorms }: BlockBranch) => {
    return { norm, normed, layers: layers.each, own: { projection, headNorms } };
  };

  const embedded = tf.gather(decoder.embedding.weight, (cache ? tf.reshape(ids, [B, 1]) : ids) as tf.Tensor2D);
  let x = dropout(isNormed ? normed(undefined, embedded) : embedded, rate, noise);
  const layers = decoder.blocks.flatMap(({ attention: attn, mlp }, i): KeysValues[] => {
    x = segmentFrom(x);
    if (light) {
      const mix = (projected: readonly tf.Tensor[], own: BranchWeights, seen: View) =>
        attend(projected, own, seen).mixed;
      const { angles, mask } = view;
      x = tf.add(x, branch(x, { ...lightly(attn), view: { angles, mask }, sites: 2, mix }, light));
      const fed = { ...lightly(mlp), view: { angles, mask }, sites: 1 };
      x = tf.add(x, branch(x, { ...fed, mix: (projected, own, seen) => feed(projected, own, seen.noise) }, light));
      return [];
    }
    const { mixed, layer } = attend(outputs(attn.layers, normed(attn.norm, x)), attn, view, cache?.layers[i]);
    x = tf.add(x, mixed);
    x = tf.add(x, feed(outputs(mlp.layers, normed(mlp.norm, x)), mlp, noise));
    return [layer];
  });
  const hidden = normed(decoder.norm, segmentFrom(x));
  return { hidden: cache ? tf.reshape(hidden, [B, config.n_embd]) : hidden, layers };
}

/** Transposes once each matrix that every token is multiplied with (see gpt2.ts), and joins those of one input. */
function transposeOnce({ head, blocks, ...rest }: Decoder): Decoder {
  const branchOf = ({ layers, projection, ...norms }: BlockBranch): BlockBranch => ({
    ...norms,
    layers: joinedOnce(layers),
    projection: turned(projection),
  });
  return {
    ...rest,
    head: turned(head),
    blocks: blocks.map(({ attention, mlp }) => ({ attention: branchOf(attention), mlp: branchOf(mlp) })),
  };
}

export function decoderArchitecture(parts: Parts): Architecture {
  const { initialStd, shapeOf, decoderOf, capOf } = parts;
  return {
    initialStd,
    network(config, parameters, manyCalls = false) {
      const plain = decoderOf(config, parameters);
      const decoder = manyCalls ? transposeOnce(plain) : plain;
      const { head } = decoder;
      const cap = capOf?.(config) ?? null;
      return {
        forward: (ids, given) => forward(parts, config, decoder, ids, given),
        logits: (hidden) => capped(linear(head, hidden), cap),
        head,
        cap,
      };
    },
    emptyLayers: (config, rows, length) => emptyKeysValues(shapeOf(config), config.n_layer, rows, length),
  };
}
