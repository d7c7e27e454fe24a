/**
 * GPT-2's byte-pair encoding: 50,257 ids, the last of which ends a document. The table of tokens is gpt-tokenizer's
 * (the same bytes as OpenAI's r50k_base, which a test checks by hash) and is loaded when first asked for. Encoding is
 * done here rather than by that library: it needs quadratic time for text without spaces, splits U+FEFF and U+0085 unlike
 * the original, and carries half-decoded characters from one call of `decode` into the next.
 */
import { UserError } from '../../../shared/errors.js';
import { type BytePairVocabulary, mergeBytePairs } from './byte-pairs.js';
import { lastSafeCut, pieceEnd } from './pretokenize.js';
import { type StreamEncoder, type Tokenizer, UNKNOWN } from './types.js';

export const BPE_VOCABULARY = 50257;
const END_OF_TEXT = '<|endoftext|>';
/** A piece is merged as a whole; text of a human being has a break long before this many UTF-16 units. */
export const LONGEST_PIECE = 1 << 21;
const CACHE_ENTRIES = 1 << 16;
const LONGEST_CACHED = 48;

interface TokenTable extends BytePairVocabulary {
  /** The bytes of each id. */
  readonly bytes: readonly Uint8Array[];
}

let table: Promise<TokenTable> | undefined;
const utf8 = new TextEncoder();

function byteString(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return text;
}

async function loadTable(): Promise<TokenTable> {
  const { default: tokens } = await import('gpt-tokenizer/bpeRanks/r50k_base');
  const bytes = tokens.map((token) => (typeof token === 'string' ? utf8.encode(token) : Uint8Array.from(token)));
  const ids = new Map(bytes.map((token, id) => [byteString(token), id]));
  return { bytes: [...bytes, utf8.encode(END_OF_TEXT)], ids, longest: Math.max(...bytes.map((token) => token.length)) };
}

/** The tokenizer; its table of half a megabyte is loaded once, at the first call. */
export async function loadBpeTokenizer(): Promise<Tokenizer> {
  const loaded = await (table ??= loadTable());
  return createBpeTokenizer(loaded);
}

function createBpeTokenizer(vocabulary: TokenTable): Tokenizer {
  /** Ids of pieces met before: words repeat. */
  const cache = new Map<string, Uint16Array>();

  function encodePiece(piece: string): Uint16Array {
    const known = cache.get(piece);
    if (known !== undefined) return known;
    if (piece.length > LONGEST_PIECE) throw tooLong(piece.length);
    const bytes = byteString(utf8.encode(piece)); // half a character becomes U+FFFD, as in tiktoken
    const id = vocabulary.ids.get(bytes);
    const ids = id === undefined ? mergeBytePairs(bytes, vocabulary) : Uint16Array.of(id);
    if (piece.length <= LONGEST_CACHED) {
      if (cache.size >= CACHE_ENTRIES) cache.clear();
      cache.set(detached(piece), ids);
    }
    return ids;
  }

  function encode(text: string): Uint16Array {
    let ids = new Uint16Array(Math.max(16, text.length >> 1));
    let count = 0;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      const piece = encodePiece(text.slice(start, end));
      if (count + piece.length > ids.length) {
        const larger = new Uint16Array(2 * ids.length + piece.length);
        larger.set(ids);
        ids = larger;
      }
      for (let i = 0; i < piece.length; i++) ids[count + i] = piece[i] ?? 0;
      count += piece.length;
      start = end;
    }
    return ids.slice(0, count);
  }

  return {
    method: 'bpe',
    vocabSize: BPE_VOCABULARY,
    encode,
    decode: (ids) => decode(ids, vocabulary.bytes),
    createEncoder: () => createStreamEncoder(encode),
  };
}

/** Holds back what the next piece could still change: everything after the last safe cut. */
function createStreamEncoder(encode: (text: string) => Uint16Array): StreamEncoder {
  let held = '';
  return {
    push(text) {
      const all = held + text;
      // In what was held there was no safe cut but perhaps at its end, two units back with half a character.
      const cut = lastSafeCut(all, held.length - 3);
      held = all.slice(cut);
      if (held.length > LONGEST_PIECE) throw tooLong(held.length);
      return encode(all.slice(0, cut));
    },
    flush() {
      const rest = held;
      held = '';
      return encode(rest);
    },
  };
}

function decode(ids: ArrayLike<number>, tokens: readonly Uint8Array[]): string {
  const unknown = utf8.encode(UNKNOWN);
  const parts = Array.from(ids, (id) => tokens[id] ?? unknown);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** A copy that stands alone: V8 keeps the whole text alive for a slice of 13 or more units of it. */
function detached(piece: string): string {
  if (piece.length < 13) return piece;
  return String.fromCharCode(...Array.from({ length: piece.length }, (_, i) => piece.charCodeAt(i)));
}

function tooLong(length: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: `The text has ${length} characters without a single break between words, numbers and punctuation; bpe tokenization takes at most ${LONGEST_PIECE}`,
    hint: 'Check that this is ordinary text, or use char tokenization.',
    field: 'tokenization',
  });
}
