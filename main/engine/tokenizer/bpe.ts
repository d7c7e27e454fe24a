/**
 * GPT-2's byte-pair encoding: 50,257 ids, the last of which ends a document. The table of tokens is gpt-tokenizer's
 * (the same bytes as OpenAI's r50k_base, which a test checks by hash) and is loaded when first asked for. Encoding is
 * done here rather than by that library: it needs quadratic time for text without spaces, splits U+FEFF and U+0085 unlike
 * the original, and carries half-decoded characters from one call of `decode` into the next.
 */
import { concatBytes } from '../../../shared/bytes.js';
import { UserError } from '../../../shared/errors.js';
import { mergePairs } from './byte-pairs.js';
import { MAX_KEPT, PieceCache } from './piece-cache.js';
import { lastSafeCut, pieceEnd } from './pretokenize.js';
import { lazyLengths } from './token-lengths.js';
import { createTokenTable, type TokenTable } from './token-table.js';
import { type StreamEncoder, type Tokenizer, UNKNOWN } from './types.js';
import { writeUnits, writeUtf8 } from './utf16.js';

export const BPE_VOCABULARY = 50257;
export const END_OF_TEXT = '<|endoftext|>';
/** A piece is merged as a whole; text of a human being has a break long before this many UTF-16 units. */
export const MAX_PIECE = 1 << 21;

let tokenizer: Promise<Tokenizer> | undefined;
const utf8 = new TextEncoder();

/** The tokenizer, the same one at every call; its table of half a megabyte is loaded at the first. */
export function loadBpeTokenizer(): Promise<Tokenizer> {
  tokenizer ??= import('gpt-tokenizer/bpeRanks/r50k_base').then(({ default: tokens }) =>
    createBpeTokenizer(createTokenTable(tokens, [END_OF_TEXT])),
  );
  return tokenizer;
}

function createBpeTokenizer(vocabulary: TokenTable): Tokenizer {
  const encode = createEncode(vocabulary);
  return {
    method: 'bpe',
    vocabSize: BPE_VOCABULARY,
    encode(text) {
      const units = new Uint16Array(text.length);
      writeUnits(text, units, 0);
      return encode(units);
    },
    decode: (ids) => decode(ids, vocabulary),
    lengths: lazyLengths(BPE_VOCABULARY, (id) => vocabulary.bytesOf(id)),
    createEncoder: () => createStreamEncoder(encode),
  };
}

/** UTF-16 units to ids. */
type Encode = (text: Uint16Array) => Uint16Array;

function createEncode(vocabulary: TokenTable): Encode {
  const cache = new PieceCache();
  let bytes = new Uint8Array(1 << 12);
  let tokens = new Uint16Array(bytes.length);

  function merge(text: Uint16Array, start: number, end: number): Uint32Array {
    const length = end - start;
    if (length > MAX_PIECE) throw tooLong(length);
    if (bytes.length < 3 * length) {
      bytes = new Uint8Array(3 * length);
      tokens = new Uint16Array(3 * length);
    }
    const count = writeUtf8(text, start, end, bytes);
    for (let i = 0; i < count; i++) tokens[i] = vocabulary.ofByte[bytes[i] ?? 0] ?? 0;
    const ids = mergePairs(tokens, count, vocabulary);
    cache.keep(text, start, end, ids);
    return ids;
  }

  return function encode(text) {
    let ids = new Uint16Array(MAX_KEPT + (text.length >> 1));
    let count = 0;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      if (count + MAX_KEPT > ids.length) ids = larger(ids, MAX_KEPT);
      const known = cache.copy(text, start, end, ids, count);
      if (known > 0) count += known;
      else {
        const merged = merge(text, start, end);
        if (count + merged.length > ids.length) ids = larger(ids, merged.length);
        ids.set(merged, count);
        count += merged.length;
      }
      start = end;
    }
    return ids.slice(0, count);
  };
}

/** The same ids with room for at least `more`. */
function larger(ids: Uint16Array, more: number): Uint16Array<ArrayBuffer> {
  const copy = new Uint16Array(2 * ids.length + more);
  copy.set(ids);
  return copy;
}

/** Holds back what the next piece could still change: everything after the last safe cut. */
function createStreamEncoder(encode: Encode): StreamEncoder {
  let held = new Uint16Array(0);
  let units = new Uint16Array(0);
  return {
    push(text) {
      const length = held.length + text.length;
      if (units.length < length) units = new Uint16Array(length);
      units.set(held);
      writeUnits(text, units, held.length);
      const all = units.subarray(0, length);
      // In what was held there was no safe cut but perhaps at its end, two units back with half a character.
      const cut = lastSafeCut(all, held.length - 3);
      held = all.slice(cut);
      if (held.length > MAX_PIECE) throw tooLong(held.length);
      return encode(all.subarray(0, cut));
    },
    flush() {
      const rest = held;
      held = new Uint16Array(0);
      return encode(rest);
    },
  };
}

function decode(ids: ArrayLike<number>, table: TokenTable): string {
  const unknown = utf8.encode(UNKNOWN);
  const parts = Array.from(ids, (id) => table.bytesOf(id) ?? unknown);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(concatBytes(parts));
}

export function tooLong(length: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: `The text has ${length} characters without a single break between words, numbers and punctuation; bpe tokenization takes at most ${MAX_PIECE}`,
    hint: 'Check that this is ordinary text, or use char tokenization.',
    field: 'tokenization',
  });
}
