/** Converts a tokenizer to GGUF metadata: `gpt2`, `llama`, or `rwkv` for characters; others are refused. (llama-vocab.cpp) */
import { localized } from '../../../shared/messages/message.js';
import { byteOfFallback, type PretrainedSpec } from '../../engine/tokenizer/index.js';
import type { Json } from '../../engine/types.js';
import { tokenizerValues } from '../tokenizer/limits.js';
import type { SpecialIds } from '../tokenizer/special-tokens.js';
import { notUsable } from '../faults.js';
import { cutName, cuts, flattened } from './gguf-cuts.js';
import { type GgufMetadata, tokenTypes } from './gguf-types.js';
import type { TypedValue } from './gguf-write.js';

export interface Vocabulary {
  /** Rows of the embedding to write: llama.cpp could produce any row. */
  readonly size: number;
  readonly metadata: ReadonlyMap<string, TypedValue>;
}

const ELSEWHERE = localized('gguf.export.hint');
const key = (name: string): string => `tokenizer.ggml.${name}`;
const text = (value: string): TypedValue => ({ type: 'string', value });
const number = (value: number): TypedValue => ({ type: 'u32', value });
const flag = (value: boolean): TypedValue => ({ type: 'bool', value });

/** No tokenizer: for readers that pass ids. @param size number of tokens */
export const bareVocabulary = (size: number): Vocabulary => ({
  size,
  metadata: new Map([[key('model'), text('no_vocab')]]),
});

/** One token for each character, and none that ends a text. */
export function characterVocabulary(characters: readonly string[]): Vocabulary {
  return {
    size: characters.length,
    metadata: new Map([
      [key('model'), text('rwkv')],
      [key('tokens'), { type: 'strings', value: characters.map(escaped) }],
      [key('token_type'), { type: 'i32s', value: characters.map(() => tokenTypes.normal) }],
      [key('add_bos_token'), flag(false)],
    ]),
  };
}

/** As a literal of Python's without its quotation marks, of which llama.cpp reads these few escapes. */
const escaped = (character: string): string =>
  /[\\\t\n\r]/.test(character) ? JSON.stringify(character).slice(1, -1) : character === '\0' ? '\\x00' : character;
const unescaped = new Map([...'\\\t\n\r\0'].map((character) => [escaped(character), character]));

/** Reads the vocabulary that `characterVocabulary` writes; null for any other. */
export function charactersOf(metadata: GgufMetadata): readonly string[] | null {
  const tokens = metadata.get(key('tokens'));
  if (metadata.get(key('model')) !== 'rwkv' || !Array.isArray(tokens)) return null;
  const characters = (tokens as readonly string[]).map((token) => unescaped.get(token) ?? token);
  return characters.every((each) => [...each].length === 1) ? characters : null;
}

/** @param rows of the model's embedding. @throws UserError `checkpoint` naming what llama.cpp cannot represent */
export function tokenizerVocabulary(
  { json, spec }: { readonly json: string; readonly spec: PretrainedSpec },
  special: SpecialIds,
  { rows, what }: { readonly rows: number; readonly what: string },
): Vocabulary {
  const file = tokenizerValues(json) as Readonly<Record<string, Json>>;
  const { texts, kinds } = tokensOf(spec, rows);
  const ending = special.eos ?? special.bos ?? kinds.findIndex((kind) => kind === tokenTypes.control);
  if (ending < 0 || ending >= texts.length) {
    throw notUsable(what, localized('gguf.noEnd'), ELSEWHERE);
  }
  const kind = spec.alphabet === 'bytes' ? byteLevel(file, spec, what) : sentencePiece(file, spec, texts, what);
  const optional = { unknown: spec.unknown, padding: special.pad };
  return {
    size: texts.length,
    metadata: new Map([
      ...kind,
      [key('tokens'), { type: 'strings', value: texts }],
      [key('token_type'), { type: 'i32s', value: kinds }],
      [key('bos_token_id'), number(special.bos ?? ending)],
      [key('eos_token_id'), number(ending)],
      ...Object.entries(optional).flatMap(([name, id]): [string, TypedValue][] =>
        id === null || id >= texts.length ? [] : [[key(`${name}_token_id`), number(id)]],
      ),
      [key('add_bos_token'), flag(special.addBos && special.bos !== null)],
      [key('add_eos_token'), flag(false)],
    ]),
  };
}

interface Tokens {
  readonly texts: readonly string[];
  readonly kinds: readonly number[];
}

function tokensOf(spec: PretrainedSpec, rows: number): Tokens {
  const added = new Map(spec.addedTokens.map((token) => [token.id, token]));
  const count = Math.min(rows, Math.max(spec.tokens.length, ...spec.addedTokens.map(({ id }) => id + 1)));
  const texts: string[] = [];
  const kinds: number[] = [];
  for (let id = 0; id < count; id++) {
    const token = added.get(id);
    const content = token?.content ?? spec.tokens[id];
    texts.push(content ?? `[PAD${id}]`);
    kinds.push(kindOf(content, id, token, spec));
  }
  return { texts, kinds };
}

function kindOf(
  content: string | null | undefined,
  id: number,
  added: { readonly isSpecial: boolean } | undefined,
  spec: PretrainedSpec,
): number {
  if (content === undefined || content === null) return tokenTypes.unused;
  if (id === spec.unknown && spec.alphabet === 'characters') return tokenTypes.unknown;
  if (added) return added.isSpecial ? tokenTypes.control : tokenTypes.userDefined;
  return spec.fallsBackToBytes && byteOfFallback(content) !== null ? tokenTypes.byte : tokenTypes.normal;
}

function byteLevel(
  { pre_tokenizer = null, normalizer }: Readonly<Record<string, Json>>,
  spec: PretrainedSpec,
  what: string,
): [string, TypedValue][] {
  const pre = cutName({ pre_tokenizer, normalizer, ignore_merges: spec.takesWhole });
  if (pre === null) {
    throw notUsable(what, localized('gguf.noCut', { known: Object.keys(cuts).join(', ') }), ELSEWHERE);
  }
  const { left, right } = spec.merges;
  const token = (id: number | undefined): string => spec.tokens[id ?? -1] ?? '';
  const merges = Array.from(left, (id, place) => `${token(id)} ${token(right[place])}`);
  return [
    [key('model'), text('gpt2')],
    [key('pre'), text(pre)],
    [key('merges'), { type: 'strings', value: merges }],
  ];
}

const METASPACE = '\u2581';

/** llama.cpp joins by the score of the result, not by the order of merges: earlier merges get higher scores. */
function sentencePiece(
  { pre_tokenizer, normalizer }: Readonly<Record<string, Json>>,
  spec: PretrainedSpec,
  texts: readonly string[],
  what: string,
): [string, TypedValue][] {
  const isPlain =
    flattened(normalizer, 'normalizers').every(isBlankStep) &&
    flattened(pre_tokenizer, 'pretokenizers').every(isBlankStep);
  const writesBlanks = spec.writesBlanks || spec.normalize('a b') === `a${METASPACE}b`;
  const prefix = spec.prefix?.text ?? '';
  if (!isPlain || !writesBlanks || !spec.fallsBackToBytes || (prefix !== '' && prefix !== METASPACE)) {
    throw notUsable(what, localized('gguf.noSentencePiece'), ELSEWHERE);
  }
  const scores = new Float32Array(texts.length);
  const { made } = spec.merges;
  for (let place = made.length - 1; place >= 0; place--) scores[made[place] ?? -1] = -1 - place;
  return [
    [key('model'), text('llama')],
    [key('pre'), text('default')],
    [key('scores'), { type: 'f32s', value: scores }],
    [key('add_space_prefix'), flag(prefix !== '')],
  ];
}

/** A step that only writes blanks as SentencePiece does. */
function isBlankStep(step: Json): boolean {
  const { type, pattern } = step as Readonly<Record<string, Json>>;
  if (type === 'Replace') return JSON.stringify(pattern) === '{"String":" "}';
  return type === 'Prepend' || type === 'Metaspace';
}
