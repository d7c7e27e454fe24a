/**
 * From the pieces of a text to ids: each is looked up among those met before, and merged where it is new. Over bytes a
 * piece begins as one token for each byte of its UTF-8; over characters as one for each character, and one for each byte
 * of a character that the vocabulary lacks.
 */
import { MAX_PIECE, tooLong } from './bpe.js';
import { byteOfFallback, bytesOfWritten, characterOfByte, METASPACE } from './byte-alphabet.js';
import { mergePairs } from './byte-pairs.js';
import { createPairTable, type Merges } from './pair-table.js';
import { MAX_KEPT, PieceCache } from './piece-cache.js';
import { pieceEnd } from './pretokenize.js';
import { codeAt, writeUnits, writeUtf8 } from './utf16.js';

export interface PieceModel {
  /** What each id is written as in the vocabulary; null where there is none of this id. */
  readonly tokens: readonly (string | null)[];
  readonly merges: Merges;
  readonly alphabet: 'bytes' | 'characters';
  /** Over characters: those that the vocabulary lacks become the tokens of their bytes, where it has them. */
  readonly fallsBackToBytes: boolean;
  /** What stands for what the vocabulary lacks; null: nothing does. */
  readonly unknown: number | null;
  /** One after the other are one. */
  readonly joinsUnknown: boolean;
  /** A piece that is a token as it stands is not merged. */
  readonly takesWhole: boolean;
  /** Whether pieces are cut further as GPT-2 cuts a text. */
  readonly cutsLikeGpt2: boolean;
}

interface PieceEncoder {
  /** Pieces of a text in their order. */
  add(pieces: readonly string[]): void;
  addToken(id: number): void;
  /** The ids of all that was added. */
  take(): Uint32Array;
}

const BLANK = METASPACE.charCodeAt(0);

export function createPieceEncoder(model: PieceModel): PieceEncoder {
  const begin = createBeginning(model);
  const table = createPairTable(model.merges);
  const cache = new PieceCache();
  const whole = model.takesWhole ? idsByText(model.tokens) : null;
  const written = model.alphabet === 'bytes' ? writtenAsBytes : textOf;
  const joinsBlank = model.alphabet === 'characters' ? joiningBlanks(model) : null;
  let units = new Uint16Array(1 << 12);
  let out = new Uint32Array(1 << 12);
  let count = 0;

  const reserve = (more: number): void => {
    if (count + more <= out.length) return;
    const larger = new Uint32Array(2 * out.length + more);
    larger.set(out);
    out = larger;
  };

  function encode(text: Uint16Array, start: number, end: number): Uint32Array {
    if (end - start > MAX_PIECE) throw tooLong(end - start);
    if (whole !== null) {
      const id = whole.get(written(text, start, end));
      if (id !== undefined) return Uint32Array.of(id);
    }
    const { tokens, length } = begin(text, start, end);
    return mergePairs(tokens, length, table);
  }

  function addPiece(text: Uint16Array, start: number, end: number): void {
    reserve(MAX_KEPT);
    const known = cache.copy(text, start, end, out, count);
    if (known > 0) {
      count += known;
      return;
    }
    const ids = encode(text, start, end);
    cache.keep(text, start, end, ids);
    reserve(ids.length);
    out.set(ids, count);
    count += ids.length;
  }

  /** The end of the piece that begins at `start`, of the part of a text before `length`. */
  const endOf = (text: Uint16Array, start: number): number =>
    model.cutsLikeGpt2 ? pieceEnd(text, start) : joinsBlank === null ? text.length : wordEnd(text, start, joinsBlank);

  return {
    add(pieces) {
      for (const piece of pieces) {
        if (units.length < piece.length) units = new Uint16Array(2 * piece.length);
        writeUnits(piece, units, 0);
        const text = units.subarray(0, piece.length);
        for (let start = 0; start < text.length;) {
          const end = endOf(text, start);
          addPiece(text, start, end);
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

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const textOf = (units: Uint16Array, start: number, end: number): string => utf16.decode(units.subarray(start, end));

/** A piece as a byte-level vocabulary writes it. */
function writtenAsBytes(units: Uint16Array, start: number, end: number): string {
  const bytes = new Uint8Array(3 * (end - start));
  const length = writeUtf8(units, start, end, bytes);
  return Array.from(bytes.subarray(0, length), (byte) => characterOfByte[byte]).join('');
}

/** The token of each byte, or -1 where there is none. */
function tokensOfBytes(model: PieceModel): Int32Array {
  const ofByte = new Int32Array(256).fill(-1);
  model.tokens.forEach((token, id) => {
    if (token === null || (model.alphabet === 'bytes' && token.length > 1)) return;
    const [byte] = bytesOfToken(model, token) ?? [];
    if (byte !== undefined) ofByte[byte] = id;
  });
  return ofByte;
}

/** The bytes that a token is written for; null where it stands for its characters. */
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

interface Beginning {
  /** Valid until the next call. */
  readonly tokens: Int32Array;
  readonly length: number;
}

/** What a piece is before anything is merged. */
function createBeginning(model: PieceModel): (text: Uint16Array, start: number, end: number) => Beginning {
  const { unknown, joinsUnknown } = model;
  const ofByte = tokensOfBytes(model);
  let bytes = new Uint8Array(1 << 10);
  let tokens = new Int32Array(1 << 10);
  let length = 0;
  let isAfterUnknown = false;

  const put = (id: number): void => {
    tokens[length++] = id;
    isAfterUnknown = false;
  };
  const putUnknown = (): void => {
    if (unknown === null || (joinsUnknown && isAfterUnknown)) return;
    tokens[length++] = unknown;
    isAfterUnknown = true;
  };

  const overBytes = (text: Uint16Array, start: number, end: number): void => {
    const count = writeUtf8(text, start, end, bytes);
    for (let i = 0; i < count; i++) {
      const id = ofByte[bytes[i] ?? 0] ?? -1;
      if (id >= 0) put(id);
      else putUnknown();
    }
  };
  const characters = model.alphabet === 'characters' ? idsByText(model.tokens) : null;
  const overCharacters = (text: Uint16Array, start: number, end: number): void => {
    for (let i = start; i < end; i++) {
      const code = codeAt(text, i);
      const width = code > 0xffff ? 2 : 1;
      const id = characters?.get(String.fromCodePoint(code));
      if (id !== undefined) put(id);
      else {
        const count = writeUtf8(text, i, i + width, bytes);
        let isSpelled = true;
        for (let j = 0; j < count; j++) isSpelled &&= (ofByte[bytes[j] ?? 0] ?? -1) >= 0;
        if (!isSpelled) putUnknown();
        else for (let j = 0; j < count; j++) put(ofByte[bytes[j] ?? 0] ?? 0);
      }
      i += width - 1;
    }
  };
  const fill = model.alphabet === 'bytes' ? overBytes : overCharacters;

  return (text, start, end) => {
    const most = 3 * (end - start);
    if (tokens.length < most) {
      bytes = new Uint8Array(most);
      tokens = new Int32Array(most);
    }
    length = 0;
    isAfterUnknown = false;
    fill(text, start, end);
    return { tokens, length };
  };
}

/**
 * After which characters a blank can be joined to what is before it: those with which one stands inside a token. Before
 * all other blanks a piece can be cut without a change, since no merge reaches across.
 * @returns null where blanks have no token, and unknown characters could join across them
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

function wordEnd(text: Uint16Array, start: number, joinsBlank: ReadonlySet<number>): number {
  for (let end = start + 1; end < text.length; end++) {
    if (text[end] === BLANK && !joinsBlank.has(text[end - 1] ?? 0)) return end;
  }
  return text.length;
}
