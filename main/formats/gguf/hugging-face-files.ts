/** Converts tokenizers of older Hugging Face folders to a tokenizer.json, and recognizes GPT-2's own. (transformers 5, convert_slow_tokenizer.py) */
import { createHash } from 'node:crypto';
import { localized, type Message } from '../../../shared/messages/message.js';
import { BPE_VOCABULARY, END_OF_TEXT } from '../../engine/tokenizer/bpe.js';
import { damaged, notUsable } from '../faults.js';
import { cuts } from './gguf-cuts.js';
import { fileText, tokenizerJsonOf } from './gguf-tokenizer.js';
import { type GgufValue, tokenTypes as types } from './gguf-types.js';
import { quoted } from '../shorten.js';
import { refuseOther } from '../signatures.js';
import { byteLevel } from '../tokenizer/byte-level-json.js';
import { tokenizerValues } from '../tokenizer/limits.js';
import { fieldsOf } from '../tokenizer/special-tokens.js';

const HINT = localized('tokenizer.saveFast.hint');

/** Of GPT-2's tokens in the order of their ids, one a line; a test computes it from the table in use. */
export const GPT2_HASH = 'e35a33a0b2250c932ffdafc4c3a3552aef0cc7af7a11e9ebfddf1d2a6517371f';

export const hashOfTokens = (tokens: readonly string[]): string =>
  createHash('sha256').update(tokens.join('\n')).digest('hex');

/** Whether a tokenizer.json has GPT-2's tokens and no others: the number of rows decides nothing, as many models have as many. */
export function isGpt2(json: string): boolean {
  const { model, pre_tokenizer: steps, added_tokens: added, normalizer } = fieldsAt(json);
  const { vocab } = objectOf(model);
  const { type, add_prefix_space: prefix } = objectOf(steps);
  const ids = Object.entries(objectOf(vocab));
  if (ids.length !== BPE_VOCABULARY || type !== 'ByteLevel' || prefix === true || (normalizer ?? null) !== null)
    return false;
  if (Array.isArray(added) && added.some((token) => objectOf(token)['content'] !== END_OF_TEXT)) return false;
  const tokens: string[] = [];
  for (const [token, id] of ids) tokens[Number(id)] = token;
  return hashOfTokens(tokens) === GPT2_HASH;
}

function fieldsAt(json: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(tokenizerValues(json));
  } catch {
    return {}; // its reader reports the damage
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/**
 * Leaves out the few tokens that an embedding of `rows` rows lacks, such as a padding token that was added and never trained.
 * @returns the file as it is if it has none, or so many that it belongs to another model
 */
export function withinRows(json: string, rows: number): { readonly json: string; readonly left: number } {
  if (rows === Infinity) return { json, left: 0 };
  const { added_tokens: added, model, ...file } = fieldsAt(json);
  const { vocab, merges, ...rest } = objectOf(model);
  const tokens = Array.isArray(added) ? (added as readonly unknown[]).map(objectOf) : [];
  const isWithin = (id: unknown): boolean => !(Number(id) >= rows);
  const lost = [...Object.entries(objectOf(vocab)), ...tokens.map(({ content, id }) => [String(content), id] as const)];
  const left = new Set(lost.filter(([, id]) => !isWithin(id)).map(([token]) => token));
  if (left.size === 0 || left.size > rows / 100 + 8) return { json, left: 0 };
  const isWhole = (pair: readonly string[]): boolean => ![...pair, pair.join('')].some((token) => left.has(token));
  const kept = (Array.isArray(merges) ? (merges as readonly (string | string[])[]) : []).filter((merge) =>
    isWhole(typeof merge === 'string' ? merge.split(' ') : merge),
  );
  const ids = Object.fromEntries(Object.entries(objectOf(vocab)).filter(([, id]) => isWithin(id)));
  const cut = { added_tokens: tokens.filter(({ id }) => isWithin(id)), model: { ...rest, vocab: ids, merges: kept } };
  return { json: `${JSON.stringify({ ...file, ...cut })}\n`, left: left.size };
}

/** Files of a folder by name, those that exist. */
type Files = Readonly<Record<string, string>>;

/** The cut of each class of tokenizers with vocab.json and merges.txt, and the class of each `model_type`. */
const cutOfClass = { GPT2Tokenizer: cuts['gpt-2'], Qwen2Tokenizer: cuts['qwen2'] };
const classOfType: Files = { gpt2: 'GPT2Tokenizer', qwen2: 'Qwen2Tokenizer', qwen3: 'Qwen2Tokenizer' };

/** Converts vocab.json and merges.txt. @throws UserError `file_damaged`; `checkpoint` if its way of cutting a text is unknown */
export function tokenizerOfVocabulary(files: Files, what: string): string {
  const merges = files['merges.txt'];
  if (merges === undefined) throw notUsable(what, localized('tokenizer.noMerges'), HINT);
  refuseOther(Buffer.from(files['vocab.json'] ?? ''), what, 'json');
  const vocab = fieldsAt(files['vocab.json'] ?? '');
  const config = fieldsOf(files['tokenizer_config.json']);
  const named = String(config['tokenizer_class'] ?? '').replace(/Fast$/, '');
  const type = fieldsOf(files['config.json'])['model_type'];
  const kind = named === '' || named === 'PreTrainedTokenizer' ? classOfType[String(type)] : named;
  const cut = cutOfClass[kind as keyof typeof cutOfClass];
  if (cut === undefined)
    throw notUsable(what, localized('tokenizer.noCut', { name: quoted(kind ?? String(type)) }), HINT);
  const steps =
    config['add_prefix_space'] === true && kind === 'GPT2Tokenizer'
      ? { ...byteLevel, add_prefix_space: true }
      : cut.pre_tokenizer;
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(vocab)) tokens[Number(id)] = token;
  if (tokens.length === 0) throw damaged(what, localized('tokenizer.noVocabulary'));
  const kinds = Array.from(tokens, (token) => (token === undefined ? types.unused : types.normal));
  addTokens(tokens, kinds, files);
  const pairs = merges.split('\n').filter((line, i) => line.trim() !== '' && !(i === 0 && line.startsWith('#version')));
  return fileText(
    { texts: tokens, kinds },
    {
      normalizer: cut.normalizer ?? null,
      pre_tokenizer: steps,
      decoder: byteLevel,
      model: { unk_token: null, fuse_unk: false, byte_fallback: false, ignore_merges: false },
      merges: pairs.map((line) => JSON.stringify(line.trimEnd())),
    },
  );
}

/** Adds the tokens of added_tokens.json, and marks those that tokenizer_config.json names as no part of a text. */
function addTokens(tokens: string[], kinds: number[], files: Files): void {
  const config = fieldsOf(files['tokenizer_config.json']);
  const place = (token: unknown, id: unknown, kind: number): void => {
    if (typeof token !== 'string' || !Number.isInteger(id) || Number(id) < 0 || Number(id) > tokens.length + MAX_ADDED)
      return;
    while (tokens.length < Number(id)) kinds[tokens.push('') - 1] = types.unused;
    tokens[Number(id)] = token;
    kinds[Number(id)] = kind;
  };
  for (const [token, id] of Object.entries(fieldsOf(files['added_tokens.json']))) place(token, id, types.control);
  for (const [id, value] of Object.entries(objectOf(config['added_tokens_decoder']))) {
    const { content, special } = objectOf(value);
    place(content, Number(id), special === false ? types.userDefined : types.control);
  }
  const named = ['bos', 'eos', 'unk', 'pad'].map((name) => {
    const token = config[`${name}_token`];
    return typeof token === 'string' ? token : objectOf(token)['content'];
  });
  for (const token of new Set([END_OF_TEXT, ...named])) {
    const id = tokens.findIndex((one) => one === token);
    if (id >= 0 && kinds[id] === types.normal) kinds[id] = types.control;
  }
}

/** More than any model adds. */
const MAX_ADDED = 1 << 16;

/** Converts SentencePiece's tokenizer.model, a protobuf. @throws UserError `file_damaged`; `checkpoint` for another kind than Llama's */
export function tokenizerOfSentencePiece(bytes: Uint8Array, files: Files, what: string): string {
  refuseOther(bytes, what);
  const [tokens, scores, kinds]: [string[], number[], number[]] = [[], [], []];
  let [isPairs, normalizer, prefix]: [boolean, string, boolean] = [false, '', true];
  for (const [field, value] of fieldsOfMessage(bytes, what)) {
    if (!(value instanceof Uint8Array)) continue;
    if (field === 1) {
      const piece = new Map(fieldsOfMessage(value, what));
      kinds.push(Number(piece.get(3) ?? types.normal));
      scores.push(piece.get(2) instanceof Uint8Array ? floatOf(piece.get(2) as Uint8Array) : 0);
      tokens.push(textOf(piece.get(1)));
    } else if (field === 2) isPairs = new Map(fieldsOfMessage(value, what)).get(3) === BYTE_PAIRS;
    else if (field === 3) {
      const settings = new Map(fieldsOfMessage(value, what));
      normalizer = textOf(settings.get(1));
      prefix = settings.get(3) !== 0;
    }
  }
  if (tokens.length === 0) throw damaged(what, localized('tokenizer.noVocabulary'));
  const unsupported = (why: Message) => notUsable(what, why, localized('tokenizer.use_model_whose_tokenizer_byte'));
  if (!isPairs) throw unsupported(localized('tokenizer.kind', { type: quoted('Unigram') }));
  if (!['', 'identity'].includes(normalizer))
    throw unsupported(localized('tokenizer.normalizer', { type: quoted(normalizer) }));
  addTokens(tokens, kinds, files);
  while (scores.length < tokens.length) scores.push(0);
  const metadata: [string, GgufValue][] = [
    ['model', 'llama'],
    ['tokens', tokens],
    ['scores', Float64Array.from(scores)],
    ['token_type', Float64Array.from(kinds)],
    ['add_space_prefix', prefix],
    ['unknown_token_id', Math.max(0, kinds.indexOf(types.unknown))],
  ];
  return tokenizerJsonOf(new Map(metadata.map(([name, value]) => [`tokenizer.ggml.${name}`, value])), what);
}

/** `TrainerSpec.ModelType` of byte-pair encoding. */
const BYTE_PAIRS = 2;

const textOf = (value: number | Uint8Array | undefined): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
const floatOf = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);

/** Yields the fields of a protobuf message: numbers, and bytes of all else. (protobuf.dev, "Encoding") */
function* fieldsOfMessage(bytes: Uint8Array, what: string): Generator<readonly [number, number | Uint8Array]> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || scale > 2 ** 63) throw damaged(what, localized('damage.cutShort'));
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const kind = tag % 8;
    if (kind === 0) {
      yield [Math.floor(tag / 8), number()];
      continue;
    }
    const length = kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? number() : NaN;
    if (!(at + length <= bytes.length)) throw damaged(what, localized('damage.cutShort'));
    yield [Math.floor(tag / 8), bytes.subarray(at, at + length)];
    at += length;
  }
}
