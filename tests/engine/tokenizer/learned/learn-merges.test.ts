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

  it('are as many as requested, or as the text has', async () => {
    expect((await learnMerges(piecesOf([fixture.text]), 300)).tokens).toHaveLength(300);
    const few = await learnMerges(piecesOf(['abab']), 300);
    // "ab" twice within the one piece; "abab" only once.
    expect(few.tokens.slice(FEWEST_LEARNED)).toEqual(['ab']);
    expect((await learnMerges(new Map(), 300)).merges).toEqual([]);
  });

  it('pause between merges, where learning may end', async () => {
    const counts: number[] = [];
    const stop = new Error('stopped');
    const learning = learnMerges(piecesOf([fixture.text]), 600, (tokens) => {
      counts.push(tokens);
      return tokens > 300 ? Promise.reject(stop) : Promise.resolve();
    });
    await expect(learning).rejects.toBe(stop);
    expect(counts[0]).toBe(FEWEST_LEARNED);
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
