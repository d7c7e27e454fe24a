/**
 * Learns byte-pair tokens from a text (Sennrich, Haddow, Birch 2016, "Neural Machine Translation of Rare Words with Subword Units"):
 * starting from bytes, the most frequent pair becomes a token. Ties are resolved as in Python's `tokenizers`.
 */
import { END_OF_TEXT } from '../bpe.js';
import { Heap } from '../heap.js';
import { characterOfByte, type WrittenVocabulary } from '../byte-alphabet.js';

/** Tokens before any is learned: the end of a text, and the bytes. */
export const FEWEST_LEARNED = 1 + characterOfByte.length;
/** Rarer pairs do not become tokens. */
const FEWEST_TIMES = 2;
/** Merges between two calls of `between`. */
const TURN = 64;

/** @param pieces counts of each. @param size the most tokens. @param between awaited now and then, with the number of tokens */
export async function learnMerges(
  pieces: ReadonlyMap<string, number>,
  size: number,
  between: (tokens: number) => Promise<void> = () => Promise.resolve(),
): Promise<WrittenVocabulary> {
  const tokens = [END_OF_TEXT, ...characterOfByte.toSorted()];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: (readonly [string, string])[] = [];
  const words = wordsOf(pieces, ids);
  const pairs = new Pairs(words);
  while (tokens.length < size) {
    if (merges.length % TURN === 0) await between(tokens.length);
    const pair = pairs.takeMostFrequent();
    if (pair === null) break;
    const [left, right] = [tokens[pair.left] ?? '', tokens[pair.right] ?? ''];
    const made = ids.get(left + right) ?? tokens.length;
    if (made === tokens.length) {
      tokens.push(left + right);
      ids.set(left + right, made);
    }
    merges.push([left, right]);
    pairs.merge(pair, made);
  }
  return { tokens, merges };
}

interface Word {
  /** Its current tokens. */
  ids: number[];
  readonly count: number;
}

function wordsOf(pieces: ReadonlyMap<string, number>, ids: ReadonlyMap<string, number>): Word[] {
  const utf8 = new TextEncoder();
  const ofByte = characterOfByte.map((character) => ids.get(character) ?? 0);
  return [...pieces].map(([piece, count]) => ({
    ids: Array.from(utf8.encode(piece), (byte) => ofByte[byte] ?? 0),
    count,
  }));
}

interface Pair {
  readonly left: number;
  readonly right: number;
}

/** Larger than any id, so that a pair is one exact number in the order of pairs. */
const BASE = 2 ** 20;
const keyOf = (left: number, right: number): number => left * BASE + right;

/** Counts pairs of neighbours, and lists the words that have them. */
class Pairs {
  private readonly counts = new Map<number, number>();
  /** Words that have or had the pair, some twice. */
  private readonly places = new Map<number, number[]>();
  private readonly queue = new Heap<Entry>(isBefore);

  constructor(private readonly words: readonly Word[]) {
    words.forEach(({ ids, count }, place) => {
      for (let i = 0; i + 1 < ids.length; i++) this.change(keyOf(ids[i] ?? 0, ids[i + 1] ?? 0), count, place);
    });
    for (const [key, count] of this.counts) this.queue.push({ key, count });
  }

  takeMostFrequent(): Pair | null {
    for (let top = this.queue.pop(); top !== undefined; top = this.queue.pop()) {
      const count = this.counts.get(top.key) ?? 0;
      if (count < FEWEST_TIMES) continue;
      if (count === top.count) return { left: Math.floor(top.key / BASE), right: top.key % BASE };
      // It has become rarer since it was queued.
      this.queue.push({ key: top.key, count });
    }
    return null;
  }

  /** Replaces the pair by one token everywhere. */
  merge({ left, right }: Pair, made: number): void {
    const key = keyOf(left, right);
    const risen = new Set<number>();
    for (const place of new Set(this.places.get(key))) {
      const word = this.words[place];
      if (!word) continue;
      const { ids, count } = word;
      const merged: number[] = [];
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        if (id !== left || ids[i + 1] !== right) {
          merged.push(id);
          continue;
        }
        const [before, after] = [merged.at(-1), ids[i + 2]];
        if (before !== undefined) {
          this.change(keyOf(before, left), -count, place);
          risen.add(this.change(keyOf(before, made), count, place));
        }
        if (after !== undefined) {
          this.change(keyOf(right, after), -count, place);
          risen.add(this.change(keyOf(made, after), count, place));
        }
        merged.push(made);
        i++;
      }
      word.ids = merged;
    }
    this.counts.delete(key);
    this.places.delete(key);
    for (const one of risen) {
      const count = this.counts.get(one) ?? 0;
      if (one !== key && count > 0) this.queue.push({ key: one, count });
    }
  }

  private change(key: number, by: number, place: number): number {
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
    if (by > 0) {
      const places = this.places.get(key);
      if (!places) this.places.set(key, [place]);
      else if (places.at(-1) !== place) places.push(place);
    }
    return key;
  }
}

interface Entry {
  readonly key: number;
  readonly count: number;
}

/** Order by frequency, then by ids. */
const isBefore = (a: Entry, b: Entry): boolean => a.count > b.count || (a.count === b.count && a.key < b.key);
