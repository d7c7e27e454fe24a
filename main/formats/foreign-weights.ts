/** Converts another program's tensors to our weights: checks shapes first, requires the tied output layer, ignores buffers. */
import { type GPTConfig, modelConfigSchema } from '../../shared/config/model.js';
import { localized } from '../../shared/messages/message.js';
import { checkpointFitsModel } from './checkpoint.js';
import { firstIssue, notUsable } from './faults.js';
import { arrayOnDemand, type OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import { parameterShapes } from '../../shared/architectures/index.js';
import type { HostArray, NamedArrays } from '../engine/types.js';

/** Under Verisim's names, in its layout, not read yet. */
export interface ForeignTensors {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  read(name: string): Float32Array;
  /** Reads the bytes now and converts them at each call: 4 or 16 bits a weight stay as small in memory. */
  take?(name: string): () => Float32Array;
}

const HEAD = 'lm_head.weight';

/** Segments that torch.compile, FSDP and activation checkpointing put into names, and DataParallel before them. */
const WRAPPERS = /(^|\.)(?:_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module)\.|^module\./;
/** What other wrappers put before all names of a model, by its embedding. */
const ROOT = /^(.+?\.)??(?:(?:transformer\.)?wte|(?:model\.)?embed_tokens)\.weight$/;

/** Names tensors without what wrappers have added. @returns names in the file by ours. @throws UserError `checkpoint` if two become one */
export function unwrappedNames(names: Iterable<string>, what: string): ReadonlyMap<string, string> {
  const plain = [...names].map((name) => {
    let ours = name;
    while (WRAPPERS.test(ours)) ours = ours.replace(WRAPPERS, '$1');
    return [ours, name] as const;
  });
  const embedding = plain.map(([name]) => ROOT.exec(name)).find((match) => match !== null);
  const [whole = '', root = ''] = embedding ?? [];
  // The network alone, saved without its output layer.
  const before = whole.slice(root.length) === 'embed_tokens.weight' ? 'model.' : '';
  const found = new Map<string, string>();
  for (const [name, theirs] of plain) {
    const short = name.startsWith(root) ? name.slice(root.length) : name;
    const ours = short === HEAD ? short : before + short;
    if (found.has(ours))
      throw notUsable(what, localized('damage.twice', { name: shorten(ours) }), localized('unfit.copy.hint'));
    found.set(ours, theirs);
  }
  return found;
}

/** The file with unwrapped names. @throws UserError `checkpoint` */
export function unwrapped({ tensors, metadata, read, take }: OpenSafetensors, what: string): OpenSafetensors {
  const theirs = unwrappedNames(tensors.keys(), what);
  const ofFile = (name: string): string => theirs.get(name) ?? name;
  const entries = [...theirs].flatMap(([ours, name]) => {
    const entry = tensors.get(name);
    return entry ? [[ours, entry] as const] : [];
  });
  return {
    tensors: new Map(entries),
    metadata,
    read: (name) => read(ofFile(name)),
    take: (name) => take(ofFile(name)),
  };
}

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
  throw notUsable(what, localized('unfit.tied', { head: HEAD, embedding: name }), localized('unfit.tied.hint'));
}

/** @throws UserError `checkpoint` naming the setting that is missing or not possible */
export function parseModelConfig(
  settings: Readonly<Partial<Record<keyof GPTConfig, unknown>>>,
  what: string,
): GPTConfig {
  const parsed = modelConfigSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw notUsable(what, firstIssue(parsed.error, settings), localized('unfit.architecture.hint'));
}
