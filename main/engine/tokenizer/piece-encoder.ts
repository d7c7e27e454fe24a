/**
 * Encodes the pieces of a text, with a cache. A piece starts as one token per byte of its UTF-8, or as one per character, or per byte
 * of a character without a token.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { TokenIds } from '../types.js';
import { byteOfFallback, bytesOfWritten, characterOfByte, METASPACE } from './byte-alphabet.js';
import { type Merges, mergePairs, type PairVocabulary } from './byte-pairs.js';
import { pieceEnd } from './pretokenize.js';
import { bytesPerId } from './types.js';

/** UTF-16 units; ordinary text has a break long before. */
export const MAX_PIECE = 1 << 21;

export interface PieceModel {
  /** By id; null for an id without a token. */
  readonly tokens: readonly (string | null)[];
  readonly merges: Merges;
  readonly alphabet: 'bytes' | 'characters';
  /** Whether characters without a token become the tokens of their bytes. */
  readonly fallsBackToBytes: boolean;
  /** The id of unknown characters; null drops them. */
  readonly unknown: number | null;
  /** Whether consecutive unknown characters become one id. */
  readonly joinsUnknown: boolean;
  /** Whether a piece that is a token is not merged. */
  readonly takesWhole: boolean;
  /** Whether pieces are cut further as GPT-2 cuts a text. */
  readonly cutsLikeGpt2: boolean;
}

interface PieceEncoder {
  add(pieces: readonly string[]): void;
  addToken(id: number): void;
  /** Returns the ids since the last call. */
  take(): TokenIds;
}

const BLANK = METASPACE.charCodeAt(0);
const utf8 = new TextEncoder();

export function createPieceEncoder(model: PieceModel, pairs: PairVocabulary, vocabSize: number): PieceEncoder {
  const split = createSplit(model);
  const cache = new PieceCache();
  const whole = model.takesWhole ? idsByText(model.tokens) : null;
  const joinsBlank = model.alphabet === 'characters' ? joiningBlanks(model) : null;
  const newIds = (length: number) => (bytesPerId(vocabSize) === 2 ? new Uint16Array(length) : new Uint32Array(length));
  let out = newIds(1 << 12);
  let count = 0;

  const reserve = (more: number): void => {
    if (count + more <= out.length) return;
    const larger = newIds(2 * out.length + more);
    larger.set(out);
    out = larger;
  };

  function encode(piece: string): Uint32Array {
    if (piece.length > MAX_PIECE) throw tooLong(piece.length);
    const id = whole?.get(model.alphabet === 'bytes' ? writtenAsBytes(piece) : piece);
    if (id !== undefined) return Uint32Array.of(id);
    const { tokens, length } = split(piece);
    return mergePairs(tokens, length, pairs);
  }

  function addPiece(text: string, start: number, end: number): void {
    reserve(MAX_CACHED);
    const cached = cache.copy(text, start, end, out, count);
    count += cached;
    if (cached > 0) return;
    const ids = encode(text.slice(start, end));
    cache.store(text, start, end, ids);
    reserve(ids.length);
    out.set(ids, count);
    count += ids.length;
  }

  const endOf = (text: string, start: number): number =>
    model.cutsLikeGpt2 ? pieceEnd(text, start) : joinsBlank === null ? text.length : wordEnd(text, start, joinsBlank);

  return {
    add(pieces) {
      for (const piece of pieces) {
        for (let start = 0; start < piece.length;) {
          const end = endOf(piece, start);
          addPiece(piece, start, end);
          start = end;
        }
      }
    },
    addToken(id) {
      reserve(1);
      out[count++] = id;
    },
    take() {
      const ids = out.slice(0, count);
      count = 0;
      return ids;
    },
  };
}

/** Writes a text in the alphabet of byte-level vocabularies. */
export const writtenAsBytes = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? text.replaceAll(' ', characterOfByte[0x20] ?? '')
    : Array.from(utf8.encode(text), (byte) => characterOfByte[byte]).join('');

/** The bytes of a token; null if it consists of characters. */
export function bytesOfToken({ alphabet, fallsBackToBytes }: PieceModel, token: string): readonly number[] | null {
  if (alphabet === 'bytes') return bytesOfWritten(token);
  const byte = fallsBackToBytes ? byteOfFallback(token) : null;
  return byte === null ? null : [byte];
}

export function idsByText(tokens: readonly (string | null)[]): Map<string, number> {
  const ids = new Map<string, number>();
  tokens.forEach((token, id) => token !== null && ids.set(token, id));
  return ids;
}

/** The token of each byte, or -1. */
function tokensOfBytes(model: PieceModel): Int32Array {
  const ofByte = new Int32Array(256).fill(-1);
  model.tokens.forEach((token, id) => {
    if (token === null || (model.alphabet === 'bytes' && token.length > 1)) return;
    const [byte] = bytesOfToken(model, token) ?? [];
    if (byte !== undefined) ofByte[byte] = id;
  });
  return ofByte;
}

/** Returns the tokens of a piece before any merge, which are valid until the next call. */
function createSplit(model: PieceModel): (piece: string) => { tokens: Int32Array; length: number } {
  const { unknown, joinsUnknown } = model;
  const ofByte = tokensOfBytes(model);
  const characters = model.alphabet === 'characters' ? idsByText(model.tokens) : null;
  let bytes = new Uint8Array(1 << 10);
  let tokens = new Int32Array(1 << 10);
  let length = 0;
  let isAfterUnknown = false;

  const put = (id: number): void => {
    if (id >= 0) tokens[length++] = id;
    else if (unknown !== null && !(joinsUnknown && isAfterUnknown)) tokens[length++] = unknown;
    isAfterUnknown = id < 0 && unknown !== null;
  };
  const known = new Map<string, readonly number[]>();
  const idsOfCharacter = (character: string): readonly number[] => {
    const cached = known.get(character);
    if (cached !== undefined) return cached;
    const id = characters?.get(character);
    const own = id === undefined ? Array.from(utf8.encode(character), (byte) => ofByte[byte] ?? -1) : [id];
    const ids = own.includes(-1) ? [-1] : own;
    known.set(character, ids);
    return ids;
  };

  return (piece) => {
    const most = 3 * piece.length;
    if (tokens.length < most) [bytes, tokens] = [new Uint8Array(most), new Int32Array(most)];
    length = 0;
    isAfterUnknown = false;
    if (characters !== null) for (const character of piece) for (const id of idsOfCharacter(character)) put(id);
    else {
      const { written } = utf8.encodeInto(piece, bytes);
      for (let i = 0; i < written; i++) put(ofByte[bytes[i] ?? 0] ?? -1);
    }
    return { tokens, length };
  };
}

/**
 * Finds the characters before blanks inside tokens; no merge crosses other blanks, so a piece can be cut there.
 * @returns null if blanks have no token, since unknown characters could join across them
 */
function joiningBlanks({ tokens, merges }: PieceModel): ReadonlySet<number> | null {
  const joining = new Set<number>([BLANK]);
  if (!tokens.includes(METASPACE)) return null;
  for (const id of merges.made) {
    const token = tokens[id] ?? '';
    for (let at = token.indexOf(METASPACE, 1); at > 0; at = token.indexOf(METASPACE, at + 1)) {
      joining.add(token.charCodeAt(at - 1));
    }
  }
  return joining;
}

function wordEnd(text: string, start: number, joinsBlank: ReadonlySet<number>): number {
  for (let end = start + 1; end < text.length; end++) {
    if (text.charCodeAt(end) === BLANK && !joinsBlank.has(text.charCodeAt(end - 1))) return end;
  }
  return text.length;
}

export function tooLong(length: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: localized('tokenizer.text_characters_without_single_break', { length, MAX_PIECE }),
    hint: localized('tokenizer.check_ordinary_text_use_char'),
    field: 'tokenization',
  });
}

const CACHE_SLOTS = 1 << 16;
/** The most UTF-16 units, and ids, of a cached piece. */
export const MAX_CACHED = 20;

/** Caches ids in typed arrays, one piece per slot: a map of strings took most of the time. */
export class PieceCache {
  private readonly lengths = new Uint8Array(CACHE_SLOTS);
  private readonly units = new Uint16Array(CACHE_SLOTS * MAX_CACHED);
  private readonly counts = new Uint8Array(CACHE_SLOTS);
  private readonly ids = new Uint32Array(CACHE_SLOTS * MAX_CACHED);
  private place = 0;

  /** Writes the ids of piece [start, end) to `out`, which has room for MAX_CACHED. @returns their count; 0 if not cached */
  copy(text: string, start: number, end: number, out: TokenIds, at: number): number {
    const length = end - start;
    if (length > MAX_CACHED) return 0;
    let hash = length;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    const place = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
    this.place = place;
    if (this.lengths[place] !== length) return 0;
    const row = place * MAX_CACHED;
    for (let i = 0; i < length; i++) if (this.units[row + i] !== text.charCodeAt(start + i)) return 0;
    const count = this.counts[place] ?? 0;
    for (let i = 0; i < count; i++) out[at + i] = this.ids[row + i] ?? 0;
    return count;
  }

  /** Stores the ids of the last piece that `copy` did not find. */
  store(text: string, start: number, end: number, ids: TokenIds): void {
    const length = end - start;
    if (length > MAX_CACHED || ids.length > MAX_CACHED) return;
    const { place } = this;
    const row = place * MAX_CACHED;
    this.lengths[place] = length;
    this.counts[place] = ids.length;
    for (let i = 0; i < length; i++) this.units[row + i] = text.charCodeAt(start + i);
    for (let i = 0; i < ids.length; i++) this.ids[row + i] = ids[i] ?? 0;
  }
}
