/** Converts another program's tensors to our weights: checks shapes first, requires the tied output layer, ignores buffers. */
import { localized } from '../../shared/messages/message.js';
import type { z } from 'zod';
import { type GPTConfig, modelConfigSchema } from '../../shared/config/model.js';
import { UserError } from '../../shared/errors.js';
import { checkpointFitsModel } from './checkpoint.js';
import { arrayOnDemand } from './safetensors.js';
import { shorten } from './shorten.js';
import { parameterShapes } from '../../shared/architectures/index.js';
import type { HostArray, NamedArrays } from '../engine/types.js';

/** Under Verisim's names, in its layout, not read yet. */
export interface ForeignTensors {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** The numbers of one tensor, in row-major order. */
  read(name: string): Float32Array;
  /** Reads the bytes now and converts them at each call: 4 or 16 bits a weight stay as small in memory. */
  take?(name: string): () => Float32Array;
}

const HEAD = 'lm_head.weight';

/** Tensors of files that are no parameters of ours. */
interface Besides {
  /** The token embedding, which may be saved as the output layer too. */
  readonly embedding: string;
  readonly buffers: RegExp;
}

const besidesGpt2: Besides = {
  embedding: 'transformer.wte.weight',
  // The causal mask, which nanoGPT (without flash attention) and older versions of transformers save too.
  buffers: /^transformer\.h\.\d+\.attn\.(masked_)?bias$/,
};

/** @throws UserError `checkpoint` naming the first tensor that does not fit `config` */
export function takeWeights(
  config: GPTConfig,
  tensors: ForeignTensors,
  what: string,
  { embedding, buffers } = besidesGpt2,
): NamedArrays {
  const expected = parameterShapes(config);
  const isTied = !Object.hasOwn(expected, HEAD);
  const named = [...tensors.shapes].filter(([name]) => !buffers.test(name) && !(isTied && name === HEAD));
  checkpointFitsModel(Object.fromEntries(named.map(([name, shape]) => [name, { shape }])), expected);
  const weights: Record<string, HostArray> = {};
  for (const [name, shape] of Object.entries(expected)) weights[name] = arrayOf(shape, name, tensors);
  if (config.mode === 'generator' && isTied) checkTied(tensors, embedding, weights[embedding], what);
  return weights;
}

function arrayOf(shape: readonly number[], name: string, { read, take }: ForeignTensors): HostArray {
  return take ? arrayOnDemand(shape, take(name)) : { shape, data: read(name) };
}

function checkTied(tensors: ForeignTensors, name: string, embedding: HostArray | undefined, what: string): void {
  const shape = tensors.shapes.get(HEAD);
  if (shape === undefined) return; // left out because it is the embedding
  if (embedding && String(shape) === String(embedding.shape)) {
    const bits = (data: Float32Array) => new Uint32Array(data.buffer, data.byteOffset, data.length);
    const [head, own] = [bits(tensors.read(HEAD)), bits(embedding.data)];
    if (head.every((value, i) => value === own[i])) return;
  }
  throw notUsable(
    what,
    `its ${HEAD} is not ${name}, which is to be the output layer too`,
    'Use a model with tied embeddings, as GPT-2 and nanoGPT have, or one whose config.json says that they are not.',
  );
}

/** @throws UserError `checkpoint` saying which setting of the file is missing or not possible */
export function parseModelConfig(
  settings: Readonly<Partial<Record<keyof GPTConfig, unknown>>>,
  what: string,
): GPTConfig {
  const parsed = modelConfigSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw notUsable(what, firstIssue(parsed.error, settings), 'Use a model of an architecture that Verisim computes.');
}

/** What is wrong with the first setting that is, in words. @param settings what was parsed */
export function firstIssue(error: z.ZodError, settings: unknown): string {
  const [issue] = error.issues;
  const name = issue?.path.join('.') ?? '';
  if (issue?.code === 'custom') return issue.message;
  const value = issue?.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null)?.[key], settings);
  return value === undefined ? `${name} is missing` : `${name} cannot be ${shorten(JSON.stringify(value))}`;
}

export function notUsable(what: string, why: string, hint: string): UserError {
  return new UserError({ code: 'checkpoint', message: localized('formats.cannot_used', { what, why }), hint });
}
