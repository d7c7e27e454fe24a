/**
 * The tokenizer of a pretrained model: byte-pair encoding over bytes as GPT-2's or over characters as SentencePiece's, of the
 * normalised text between added tokens. Ids are those of Python's `tokenizers` without a template. (@huggingface/tokenizers takes
 * 10 to 20 times as long, and differs if added tokens strip white space.)
 */
import { concatArrays } from '../../../shared/base/bytes.js';
import type { TokenIds } from '../types.js';
import { type AddedToken, createFinder } from './added-tokens.js';
import { METASPACE } from './byte-alphabet.js';
import { createPairTable, type PairVocabulary } from './byte-pairs.js';
import { bytesOfToken, createPieceEncoder, MAX_PIECE, type PieceModel, tooLong } from './piece-encoder.js';
import { lastSafeCut } from './pretokenize.js';
import type { Cut } from './splits.js';
import { lazyLengths } from './token-lengths.js';
import { bytesPerId, type StreamDecoder, type StreamEncoder, type Tokenizer, UNKNOWN } from './types.js';

export interface PretrainedSpec extends PieceModel {
  readonly addedTokens: readonly AddedToken[];
  /** Added before a text, or before each part between added tokens. */
  readonly prefix: Prefix | null;
  normalize(text: string): string;
  /** Blanks become SentencePiece's, after normalising. */
  readonly writesBlanks: boolean;
  /** In order, before GPT-2's own cut (`PieceModel.cutsLikeGpt2`). */
  readonly cuts: readonly Cut[];
}

export interface Prefix {
  readonly text: string;
  /** Before normalising, or after it if the text does not start with it already. */
  readonly when: 'before' | 'after';
  /** Only at the start of the text, not after an added token. */
  readonly onlyFirst: boolean;
}

/** The `normalize` of a tokenizer that does not change a text. */
export const unchanged = (text: string): string => text;

/** The length of text that is encoded at a time, in UTF-16 units. */
const CHUNK = 1 << 16;

/** @param cutAt the last place after `from` where a text can be cut for encoding, or 0; absent: found by experiment */
export function createPretrainedTokenizer(
  spec: PretrainedSpec,
  pairs = createPairTable(spec.merges),
  cutAt?: LastCut,
): Tokenizer {
  const vocabSize = Math.max(spec.tokens.length, ...spec.addedTokens.map(({ id }) => id + 1));
  const encodePart = createEncode(spec, pairs, vocabSize);
  const lastCut = cutAt ?? lastCutOf(spec, encodePart);
  const createEncoder = () => createStreamEncoder(encodePart, lastCut);
  const bytesOf = createBytesOf(spec);
  const createDecoder = () => createStreamDecoder(spec, bytesOf);
  return {
    method: 'pretrained',
    vocabSize,
    special: spec.addedTokens.filter(({ isSpecial }) => isSpecial).map(({ id }) => id),
    encode(text) {
      const encoder = createEncoder();
      const parts: TokenIds[] = [];
      for (let at = 0; at < text.length; at += CHUNK) parts.push(encoder.push(text.slice(at, at + CHUNK)));
      parts.push(encoder.flush());
      const narrow = bytesPerId(vocabSize) === 2;
      return concatArrays(parts, (length) => (narrow ? new Uint16Array(length) : new Uint32Array(length)));
    },
    decode(ids) {
      const decoder = createDecoder();
      return decoder.push(ids) + decoder.flush();
    },
    createDecoder,
    lengths: lazyLengths(vocabSize, (id) => (id === spec.unknown ? [0x3f] : bytesOf(id))),
    createEncoder,
  };
}

/** @param isContinued whether the start of the text has been encoded already */
type Encode = (text: string, isContinued: boolean) => TokenIds;

function createEncode(spec: PretrainedSpec, pairs: PairVocabulary, vocabSize: number): Encode {
  const { addedTokens, prefix, normalize, cuts, writesBlanks } = spec;
  const normalized = addedTokens.filter(({ isNormalized }) => isNormalized);
  const whole = (text: string) => normalize(prefix?.when === 'before' ? prefix.text + text : text);
  const find = createFinder(addedTokens.filter(({ isNormalized }) => !isNormalized));
  const findNormalized = createFinder(normalized, ({ content }) => whole(content));
  const pieces = createPieceEncoder(spec, pairs, vocabSize);

  /** @param isRest the rest of a part, without a prefix */
  function encodePart(given: string, isFirst: boolean, isRest: boolean): void {
    const text = writesBlanks ? given.replaceAll(' ', METASPACE) : given;
    const prefixed =
      prefix?.when === 'after' && !isRest && (isFirst || !prefix.onlyFirst) && !text.startsWith(prefix.text);
    let parts: readonly string[] = [prefixed ? prefix.text + text : text];
    for (const cut of cuts) parts = cut(parts);
    pieces.add(parts);
  }

  return (text, isContinued) => {
    find(text).forEach((outer, i) => {
      const isRest = isContinued && i === 0;
      const isPrefixed = prefix?.when === 'before' && !isRest && (i === 0 || !prefix.onlyFirst);
      const raw = outer.text === '' ? '' : normalize(isPrefixed ? prefix.text + outer.text : outer.text);
      if (raw !== '') {
        const inner = normalized.length > 0 ? findNormalized(raw) : [{ text: raw, token: null }];
        inner.forEach((section, j) => {
          if (section.text !== '') encodePart(section.text, i === 0 && j === 0, isRest && j === 0);
          if (section.token !== null) pieces.addToken(section.token.id);
        });
      }
      if (outer.token !== null) pieces.addToken(outer.token.id);
    });
    return pieces.take();
  };
}

/** Finds the last place after `from` where a text can be cut, whatever follows; 0 if there is none. */
type LastCut = (text: string, from: number) => number;

/** The texts of a rule: what may end a part, and what the next may begin with. Any script has such places. */
interface Rule {
  ends(left: string): boolean;
  readonly right: string;
}

const wide = { ends: (left: string) => /[\p{L}\p{N}]/u.test(left), right: ' \n、。，！？；：」』》' };
const narrow = { ends: (left: string) => /[0-9A-Za-z]/.test(left), right: ' \n' };
/** Between lines, unless a token has these two characters within. */
const linesOf = (tokens: PretrainedSpec['tokens']): Rule => {
  const joined = new Set(tokens.flatMap((token) => token?.match(/[^](?=\n)/g) ?? []));
  return { ends: (left) => /\S/.test(left) && !joined.has(left), right: '\n' };
};

/** Returns the widest way to cut texts that leaves their ids as they are: GPT-2's pieces, or rules that are tried out. */
function lastCutOf(spec: PretrainedSpec, encode: Encode): LastCut {
  const { alphabet, cutsLikeGpt2, cuts, prefix, normalize, tokens } = spec;
  if (cutsLikeGpt2 && cuts.length === 0 && prefix === null && normalize === unchanged) return apart(spec, lastSafeCut);
  const lines = linesOf(tokens);
  const rules = alphabet === 'bytes' ? [[wide], [narrow]] : [[lines, narrow], [narrow], [lines]];
  const safe = rules.map(lastBoundary).find((cut) => isCutSafe(encode, cut));
  return safe ? apart(spec, safe) : () => 0;
}

const lastBoundary =
  (rules: readonly Rule[]): LastCut =>
  (text, from) => {
    for (let cut = text.length - 1; cut > Math.max(from, 0); cut--) {
      const [left, right] = [text.charAt(cut - 1), text.charAt(cut)];
      if (rules.some((rule) => rule.right.includes(right) && rule.ends(left))) return cut;
    }
    return 0;
  };

/** Cuts no added token, whose end may be still to come, and not next to one, which may strip white space. */
function apart({ addedTokens }: PretrainedSpec, lastCut: LastCut): LastCut {
  const contents = addedTokens.map(({ content }) => content);
  const longest = Math.max(0, ...contents.map(({ length }) => length));
  return (text, from) => {
    for (let end = text.length - longest; end > 0;) {
      const cut = lastCut(text.slice(0, end), from - longest);
      const near = text.slice(Math.max(0, cut - longest), cut + longest);
      if (cut === 0 || !contents.some((content) => near.includes(content))) return cut;
      end = cut;
    }
    return 0;
  };
}

/** Texts with white space and punctuation after words of several scripts, to try cuts. */
const probes = (
  'In 1851 he wrote it\nand in 1852 1 2 34 more\n\n  Indented  text it was; A\n(b) x 7\n- y|' +
  "don't stop at 99 \n red\t it's 5 o'clock\r\nit is\n'tis so Z\n\n\nit a\n \n b   c\n    d|" +
  '“他说：好。”\n天气，真好！我们\n走吧；1998年、我 们\n\n再见。\n\n\n「是」\nお茶。 はい\n|' +
  'Привет, мир\nи ты… 12\n\n — да\nשלום\nสวัสดี\n'
).split('|');

/** Whether texts that are cut there have the ids of the whole. */
function isCutSafe(encode: Encode, lastCut: LastCut): boolean {
  return probes.every((probe) => {
    const expected = encode(probe, false).join();
    for (let cut = lastCut(probe, 0); cut > 0; cut = lastCut(probe.slice(0, cut), 0)) {
      const parts = [...encode(probe.slice(0, cut), false), ...encode(probe.slice(cut), true)];
      if (parts.join() !== expected) return false;
    }
    return true;
  });
}

/** Encodes up to the last cut; later text could change the rest. */
function createStreamEncoder(encode: Encode, cutAt: LastCut): StreamEncoder {
  let held = '';
  let isContinued = false;
  return {
    push(text) {
      const all = held + text;
      const cut = cutAt(all, held.length - 3);
      held = all.slice(cut);
      if (held.length > MAX_PIECE) throw tooLong(held.length);
      if (cut === 0) return new Uint32Array(0);
      const ids = encode(all.slice(0, cut), isContinued);
      isContinued = true;
      return ids;
    },
    flush() {
      const ids = held === '' ? new Uint32Array(0) : encode(held, isContinued);
      held = '';
      isContinued = false;
      return ids;
    },
  };
}

const utf8 = new TextEncoder();
const unknown = utf8.encode(UNKNOWN);

/** Returns the UTF-8 of an id, or null if it has no token. */
function createBytesOf(spec: PretrainedSpec): (id: number) => ArrayLike<number> | null {
  const { tokens, addedTokens, alphabet } = spec;
  const added = new Map(addedTokens.map(({ id, content }) => [id, content]));
  return (id) => {
    const token = added.get(id) ?? tokens[id] ?? null;
    if (token === null) return null;
    return bytesOfToken(spec, token) ?? utf8.encode(alphabet === 'bytes' ? token : token.replaceAll(METASPACE, ' '));
  };
}

/** SentencePiece's prefix is a blank, which the start of a text loses. */
function createStreamDecoder(
  { alphabet, prefix }: PretrainedSpec,
  bytesOf: (id: number) => ArrayLike<number> | null,
): StreamDecoder {
  const characters = new TextDecoder('utf-8', { ignoreBOM: true });
  let losesBlank = alphabet === 'characters' && prefix !== null;
  const trimmed = (text: string) => {
    const from = losesBlank && text.startsWith(' ') ? 1 : 0;
    losesBlank &&= text === '';
    return text.slice(from);
  };
  return {
    push(ids) {
      const bytes: number[] = [];
      for (let i = 0; i < ids.length; i++) bytes.push(...Array.from(bytesOf(ids[i] ?? -1) ?? unknown));
      return trimmed(characters.decode(Uint8Array.from(bytes), { stream: true }));
    },
    flush: () => trimmed(characters.decode()),
  };
}
