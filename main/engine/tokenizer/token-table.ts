/**
 * The bytes of each token, and which two tokens make a third. Hashes add up from those of the parts (Karp and Rabin
 * 1987: polynomials in the bytes, modulo 2³²), so that asking needs neither the joined bytes nor a string, and the
 * whole table is made in a few milliseconds.
 */
import type { PairVocabulary } from './byte-pairs.js';

/** Tokens in the order of their ids: text, or bytes where one is not whole characters. */
type Tokens = readonly (string | readonly number[])[];

export interface TokenTable extends PairVocabulary {
  /** The id of each single byte. */
  readonly ofByte: Uint16Array;
  /** The bytes of a token, or null when there is none of this id. */
  bytesOf(id: number): Uint8Array | null;
}

const BASE = 0x01000193;
const utf8 = new TextEncoder();

/** @param extra tokens that follow and are never a result of joining, such as the end of a document */
export function createTokenTable(tokens: Tokens, extra: readonly string[]): TokenTable {
  const { pool, ends } = bytesOfAll([...tokens, ...extra]);
  const start = (id: number): number => (id === 0 ? 0 : (ends[id - 1] ?? 0));
  const end = (id: number): number => ends[id] ?? 0;

  /** Of a token's bytes, and BASE to the power of how many they are. */
  const hashes = new Int32Array(tokens.length);
  const powers = new Int32Array(tokens.length);
  const bits = Math.ceil(Math.log2(2 * tokens.length));
  const mask = (1 << bits) - 1;
  /** Ids by hash, the next free place when one is taken; -1 where there is none. */
  const places = new Int32Array(1 << bits).fill(-1);
  const placeOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - bits);

  for (let id = 0; id < tokens.length; id++) {
    let hash = 0;
    let power = 1;
    for (let i = start(id); i < end(id); i++) {
      hash = (Math.imul(hash, BASE) + (pool[i] ?? 0) + 1) | 0;
      power = Math.imul(power, BASE);
    }
    hashes[id] = hash;
    powers[id] = power;
    let place = placeOf(hash);
    while ((places[place] ?? -1) >= 0) place = (place + 1) & mask;
    places[place] = id;
  }

  function isJoin(id: number, left: number, right: number): boolean {
    const length = end(left) - start(left);
    if (end(id) - start(id) !== length + end(right) - start(right)) return false;
    let at = start(id);
    for (let i = start(left); i < end(left); i++) if (pool[at++] !== pool[i]) return false;
    for (let i = start(right); i < end(right); i++) if (pool[at++] !== pool[i]) return false;
    return true;
  }

  const ofByte = new Uint16Array(256);
  for (let id = 0; id < tokens.length; id++) if (end(id) - start(id) === 1) ofByte[pool[start(id)] ?? 0] = id;

  return {
    ofByte,
    made: null, // the id of two tokens written as one is its rank
    join(left, right) {
      const hash = (Math.imul(hashes[left] ?? 0, powers[right] ?? 0) + (hashes[right] ?? 0)) | 0;
      for (let place = placeOf(hash); ; place = (place + 1) & mask) {
        const id = places[place] ?? -1;
        if (id < 0 || (hashes[id] === hash && isJoin(id, left, right))) return id;
      }
    },
    bytesOf: (id) => (id in ends ? pool.subarray(start(id), end(id)) : null),
  };
}

function bytesOfAll(tokens: Tokens): { pool: Uint8Array; ends: Int32Array } {
  const pool = new Uint8Array(tokens.reduce((sum, token) => sum + 3 * token.length, 0));
  const ends = new Int32Array(tokens.length);
  let n = 0;
  tokens.forEach((token, id) => {
    const first = n;
    for (let i = 0; i < token.length; i++) {
      const value = typeof token === 'string' ? token.charCodeAt(i) : (token[i] ?? 0);
      if (typeof token === 'string' && value > 0x7f) {
        const bytes = utf8.encode(token);
        pool.set(bytes, first);
        n = first + bytes.length;
        break;
      }
      pool[n++] = value;
    }
    ends[id] = n;
  });
  return { pool, ends };
}
