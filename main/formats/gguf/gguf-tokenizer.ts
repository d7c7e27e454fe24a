/** Converts the tokenizer in a GGUF file to a tokenizer.json. (transformers, convert_slow_tokenizer.py, `generate_merges`) */
import { localized } from '../../../shared/messages/message.js';
import type { Json } from '../../engine/types.js';
import { damaged, notUsable } from '../faults.js';
import { quoted } from '../shorten.js';
import { stableJson } from '../stable-json.js';
import { byteLevel } from '../tokenizer/byte-level-json.js';
import { cuts } from './gguf-cuts.js';
import { type GgufMetadata, tokenTypes as types } from './gguf-types.js';

/** Merges are made of all ways to halve a token: a forged one must not take for ever. */
const MAX_TOKEN = 256;

/** Converts the tokenizer. @throws UserError `checkpoint` naming a kind that is not read; `file_damaged` */
export function tokenizerJsonOf(metadata: GgufMetadata, what: string): string {
  const kind = metadata.get('tokenizer.ggml.model');
  if (kind === 'gpt2') return gpt2Tokenizer(metadata, what);
  if (kind === 'llama') return sentencePieceTokenizer(metadata, what);
  const why = localized('gguf.tokenizerKind', { kind: quoted(String(kind)) });
  throw notUsable(what, why, localized('gguf.tokenizerKind.hint'));
}

export function tokenizerConfigOf(metadata: GgufMetadata): string {
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const config: Record<string, Json> = { tokenizer_class: 'PreTrainedTokenizerFast' };
  for (const [name, ours] of Object.entries({ bos: 'bos', eos: 'eos', unknown: 'unk', padding: 'pad' })) {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    const token: unknown = Array.isArray(tokens) && typeof id === 'number' ? tokens[id] : undefined;
    if (typeof token === 'string') config[`${ours}_token`] = token;
  }
  const adds = metadata.get('tokenizer.ggml.add_bos_token');
  if (typeof adds === 'boolean') config['add_bos_token'] = adds;
  const chat = metadata.get('tokenizer.chat_template');
  if (typeof chat === 'string') config['chat_template'] = chat;
  return `${stableJson(config, 2)}\n`;
}

function gpt2Tokenizer(metadata: GgufMetadata, what: string): string {
  const pre = metadata.get('tokenizer.ggml.pre') ?? 'gpt-2';
  const cut = typeof pre === 'string' && Object.hasOwn(cuts, pre) ? cuts[pre] : undefined;
  if (cut === undefined) {
    const hint = localized('gguf.cut.hint', { patterns: Object.keys(cuts).join(', ') });
    throw notUsable(what, localized('gguf.cut', { name: quoted(String(pre)) }), hint);
  }
  const merges = textsOf(metadata, 'merges', what);
  return fileText(tokensOf(metadata, what), {
    normalizer: cut.normalizer ?? null,
    pre_tokenizer: cut.pre_tokenizer,
    decoder: byteLevel,
    model: { unk_token: null, fuse_unk: false, byte_fallback: false, ignore_merges: cut.ignore_merges ?? false },
    merges: merges.map((merge) => JSON.stringify(merge)),
  });
}

function sentencePieceTokenizer(metadata: GgufMetadata, what: string): string {
  const tokens = tokensOf(metadata, what);
  const scores = numbersOf(metadata, 'scores', tokens.texts.length, what);
  const unknown = metadata.get('tokenizer.ggml.unknown_token_id') ?? 0;
  const prepend = metadata.get('tokenizer.ggml.add_space_prefix') !== false;
  const replace = { type: 'Replace', pattern: { String: ' ' }, content: METASPACE };
  return fileText(tokens, {
    normalizer: {
      type: 'Sequence',
      normalizers: prepend ? [{ type: 'Prepend', prepend: METASPACE }, replace] : [replace],
    },
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: METASPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(prepend ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      unk_token: typeof unknown === 'number' ? (tokens.texts[unknown] ?? null) : null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
    },
    merges: mergesByScore(tokens, scores, what),
  });
}

const METASPACE = '\u2581';

interface Tokens {
  readonly texts: readonly string[];
  readonly kinds: ArrayLike<number>;
}

function textsOf(metadata: GgufMetadata, name: string, what: string): readonly string[] {
  const value = metadata.get(`tokenizer.ggml.${name}`);
  if (Array.isArray(value) && value.length > 0) return value as readonly string[];
  throw damaged(what, localized('damage.missing', { name: `tokenizer.ggml.${name}` }));
}

function numbersOf(metadata: GgufMetadata, name: string, count: number, what: string): Float64Array {
  const value = metadata.get(`tokenizer.ggml.${name}`);
  if (value instanceof Float64Array && value.length === count) return value;
  throw damaged(what, localized('gguf.perToken', { name: `tokenizer.ggml.${name}` }));
}

function tokensOf(metadata: GgufMetadata, what: string): Tokens {
  const texts = textsOf(metadata, 'tokens', what);
  const hasKinds = metadata.has('tokenizer.ggml.token_type');
  const kinds = hasKinds ? numbersOf(metadata, 'token_type', texts.length, what) : texts.map(() => types.normal);
  return { texts, kinds };
}

/** How the two halves of each token are joined, the better token first, as JSON. */
function mergesByScore({ texts, kinds }: Tokens, scores: Float64Array, what: string): string[] {
  const ids = new Map(texts.map((text, id) => [text, id]));
  const merges: { left: string; right: string; score: number }[] = [];
  for (const [text, id] of ids) {
    if (kinds[id] === types.control || kinds[id] === types.unknown) continue;
    const characters = [...text];
    if (characters.length > MAX_TOKEN)
      throw damaged(what, localized('gguf.tokenLength', { length: characters.length }));
    const own: { left: string; right: string; score: number; order: readonly [number, number] }[] = [];
    let left = '';
    for (const character of characters.slice(0, -1)) {
      left += character;
      const right = text.slice(left.length);
      const order = [ids.get(left), ids.get(right)] as const;
      if (order[0] === undefined || order[1] === undefined) continue;
      own.push({ left, right, score: scores[id] ?? 0, order: [order[0], order[1]] });
    }
    merges.push(...own.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]));
  }
  const length = (text: string): number => [...text].length;
  merges.sort((a, b) => b.score - a.score || length(b.left) - length(a.left) || length(b.right) - length(a.right));
  return merges.map(({ left, right }) => JSON.stringify([left, right]));
}

interface Steps {
  readonly normalizer: Json;
  readonly pre_tokenizer: Json;
  readonly decoder: Json;
  readonly model: Readonly<Record<string, Json>>;
  readonly merges: readonly string[];
}

/** Writes a tokenizer.json by hand, as a token may be called `__proto__`. */
export function fileText({ texts, kinds }: Tokens, { merges, model, ...steps }: Steps): string {
  const vocabulary: string[] = [];
  const added: Json[] = [];
  texts.forEach((content, id) => {
    const kind = kinds[id];
    if (kind === types.unused) return;
    vocabulary.push(`${JSON.stringify(content)}:${id}`);
    if (kind !== types.control && kind !== types.userDefined && kind !== types.unknown) return;
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    added.push({ id, content, ...plain, special: kind !== types.userDefined });
  });
  const head = JSON.stringify({ version: '1.0', truncation: null, padding: null, added_tokens: added, ...steps });
  const settings = JSON.stringify({ type: 'BPE', dropout: null, ...model }).slice(1, -1);
  const lists = `"vocab":{${vocabulary.join()}},"merges":[${merges.join()}]`;
  return `${head.slice(0, -1)},"post_processor":null,"model":{${settings},${lists}}}\n`;
}
