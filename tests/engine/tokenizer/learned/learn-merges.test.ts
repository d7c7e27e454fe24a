// Word pieces learned from a text: the very merges and ids of Python's `tokenizers`, whatever the parts in which the text comes.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FEWEST_LEARNED, learnMerges } from '../../../../main/engine/tokenizer/learned/learn-merges.js';
import { PieceCensus } from '../../../../main/engine/tokenizer/learned/piece-census.js';
import { createPretrainedTokenizer } from '../../../../main/engine/tokenizer/pretrained.js';
import { learnedTokenizerJson } from '../../../../main/formats/tokenizer/byte-level-json.js';
import { readTokenizerJson } from '../../../../main/formats/tokenizer/tokenizer-json.js';

const fixture = z
  .object({
    text: z.string(),
    tokens: z.array(z.string()),
    merges: z.array(z.tuple([z.string(), z.string()])),
    ids: z.array(z.int()),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../parity/fixtures/learned/mixed.json', import.meta.url), 'utf8')));

function piecesOf(parts: readonly string[], maxPieces?: number): ReadonlyMap<string, number> {
  const census = new PieceCensus(maxPieces);
  for (const part of parts) census.add(part);
  return census.finish();
}

/** The same by the shortest way: everything is counted anew for each merge. */
function learnSlowly(pieces: ReadonlyMap<string, number>, start: readonly string[], size: number): string[][] {
  const tokens = [...start];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: string[][] = [];
  const json = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => byteTokens[byte] ?? '');
  const words = [...pieces].map(([piece, count]) => ({ parts: json(piece), count }));
  while (tokens.length < size) {
    const counts = new Map<string, number>();
    for (const { parts, count } of words)
      for (let i = 0; i + 1 < parts.length; i++) {
        const pair = `${parts[i]} ${parts[i + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + count);
      }
    const order = (pair: string): number[] => pair.split(' ').map((part) => ids.get(part) ?? -1);
    const [best] = [...counts]
      .filter(([, count]) => count >= 2)
      .sort(([a, m], [b, n]) => {
        const [[a0 = 0, a1 = 0], [b0 = 0, b1 = 0]] = [order(a), order(b)];
        return n - m || a0 - b0 || a1 - b1;
      });
    if (!best) break;
    const [left = '', right = ''] = best[0].split(' ');
    merges.push([left, right]);
    if (!ids.has(left + right)) {
      ids.set(left + right, tokens.length);
      tokens.push(left + right);
    }
    for (const word of words) {
      const merged: string[] = [];
      for (let i = 0; i < word.parts.length; i++) {
        const isPair = word.parts[i] === left && word.parts[i + 1] === right;
        merged.push(isPair ? left + right : (word.parts[i] ?? ''));
        if (isPair) i++;
      }
      word.parts = merged;
    }
  }
  return merges;
}
const byteTokens = (() => {
  const seen = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173);
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(seen(byte) ? byte : 256 + others++));
})();

describe('learned tokens', () => {
  it('are those that Python’s tokenizers learns, in its order', async () => {
    const learned = await learnMerges(piecesOf([fixture.text]), 600);
    expect(learned.merges).toEqual(fixture.merges);
    expect(learned.tokens).toEqual(fixture.tokens);
    const json = learnedTokenizerJson(learned);
    const tokenizer = createPretrainedTokenizer(readTokenizerJson(json, 'learned'));
    expect(Array.from(tokenizer.encode(fixture.text))).toEqual(fixture.ids);
    expect(tokenizer.decode(fixture.ids)).toBe(fixture.text);
  });

  it('are those of counting everything anew, for any text', async () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', ' ', 'é', '日', '1', '\n'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const pieces = piecesOf([parts.join('')]);
        const { tokens, merges } = await learnMerges(pieces, FEWEST_LEARNED + 20);
        expect(merges).toEqual(learnSlowly(pieces, tokens.slice(0, FEWEST_LEARNED), FEWEST_LEARNED + 20));
      }),
      { numRuns: 200 },
    );
  });

  it('are as many as were asked for, or as the text has', async () => {
    expect((await learnMerges(piecesOf([fixture.text]), 300)).tokens).toHaveLength(300);
    const few = await learnMerges(piecesOf(['abab']), 300);
    // "ab" twice within the one piece; "abab" only once.
    expect(few.tokens.slice(FEWEST_LEARNED)).toEqual(['ab']);
    expect((await learnMerges(new Map(), 300)).merges).toEqual([]);
  });

  it('give others a turn, who may end it', async () => {
    const heard: number[] = [];
    const stop = new Error('stopped');
    const learning = learnMerges(piecesOf([fixture.text]), 600, (tokens) => {
      heard.push(tokens);
      return tokens > 300 ? Promise.reject(stop) : Promise.resolve();
    });
    await expect(learning).rejects.toBe(stop);
    expect(heard[0]).toBe(FEWEST_LEARNED);
  });
});

describe('the census of pieces', () => {
  it('is the same however the text is cut', () => {
    const whole = [...piecesOf([fixture.text])];
    fc.assert(
      fc.property(fc.array(fc.nat(fixture.text.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), fixture.text.length];
        const parts = places.slice(1).map((end, i) => fixture.text.slice(places[i], end));
        expect([...piecesOf(parts)]).toEqual(whole);
      }),
    );
  });

  it('forgets what is rare when there is too much of it, never what is frequent', () => {
    const census = new PieceCensus(1000);
    for (let i = 0; i < 20_000; i++) census.add(` w${'abcdefghij'[i % 10]}x${String.fromCodePoint(0x4e00 + i)}, often`);
    const pieces = census.finish();
    expect(pieces.size).toBeLessThanOrEqual(1000);
    expect(pieces.get(' often')).toBe(20_000);
  });

  it('takes a text without any break, in time that grows with it alone', () => {
    const pieces = piecesOf(Array.from({ length: 64 }, () => 'acgt'.repeat(1 << 12)));
    const letters = [...pieces].reduce((sum, [piece, count]) => sum + piece.length * count, 0);
    expect(letters).toBe(64 * 4 * (1 << 12));
    expect(Math.max(...[...pieces.keys()].map(({ length }) => length))).toBe(256);
  });
});
