// GPT-2's byte-pair encoding: the ids are OpenAI's, for any text, whole or in pieces.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRankTable, loadBpeTokenizer } from '../../../main/engine/tokenizer/bpe.js';
import { characterOfByte } from '../../../main/engine/tokenizer/byte-alphabet.js';
import { mergePairs } from '../../../main/engine/tokenizer/byte-pairs.js';
import { MAX_PIECE } from '../../../main/engine/tokenizer/piece-encoder.js';
import { classOf, lastSafeCut, pieceEnd } from '../../../main/engine/tokenizer/pretokenize.js';
import type { Tokenizer } from '../../../main/engine/tokenizer/types.js';
import { faultOf } from '../../storage/fault-of.js';

/** Texts and their ids, made by tiktoken_cases.py. */
const tiktokenCases = JSON.parse(
  readFileSync(new URL('tiktoken-cases.json', import.meta.url), 'utf8'),
) as readonly (readonly [string, readonly number[]])[];

/** Text that is awkward to cut: contractions, runs of white space, characters of many classes and lengths. */
const awkward =
  "' |'s|'re|'ll|'l| |  |\n|\r|\t|\u00a0|\u0085|\ufeff|\u3000|a|Z|é|e\u0301|中|😀|👩‍👧|1|½|٣|!|--|<-endoftext->|\0|\u200d|\u{20000}|\u{1d400}| the| re|ve|'".split(
    '|',
  );
const awkwardText = fc
  .array(fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'binary' })), { maxLength: 40 })
  .map((parts) => parts.join(''));

let bpe: Tokenizer;
beforeAll(async () => {
  bpe = await loadBpeTokenizer();
});

const idsOf = (text: string): number[] => Array.from(bpe.encode(text));

describe('the GPT-2 encoding', () => {
  it("has OpenAI's table of tokens, byte for byte", async () => {
    const { default: tokens } = await import('gpt-tokenizer/bpeRanks/r50k_base');
    const file = tokens.map((token, id) => `${Buffer.from(token as string).toString('base64')} ${id}\n`).join('');
    // What tiktoken expects of r50k_base.tiktoken (tiktoken_ext/openai_public.py).
    expect(createHash('sha256').update(file).digest('hex')).toBe(
      '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930',
    );
    expect(bpe.vocabSize).toBe(50257);
  });

  it('gives the ids that tiktoken gives', () => {
    expect(tiktokenCases.length).toBeGreaterThan(400);
    for (const [text, ids] of tiktokenCases) expect(idsOf(text), JSON.stringify(text.slice(0, 80))).toEqual(ids);
  });

  it('treats special tokens in the text as plain text', () => {
    expect(idsOf('<|endoftext|>')).toEqual([27, 91, 437, 1659, 5239, 91, 29]);
    expect(bpe.decode([50256])).toBe('<|endoftext|>');
  });

  it('decodes to the same text, and half a character to U+FFFD', () => {
    fc.assert(
      fc.property(awkwardText, (text) => {
        expect(bpe.decode(bpe.encode(text))).toBe(text);
      }),
    );
    expect(bpe.decode(bpe.encode('a\ud800b'))).toBe('a\ufffdb');
  });

  it('shows ids without a token, and half a character, as U+FFFD, and keeps nothing for the next call', () => {
    expect(bpe.decode([50300, 64])).toBe('\ufffda');
    const [first = 0] = idsOf('😀');
    expect(bpe.decode([first])).toBe('\ufffd');
    expect(bpe.decode([64])).toBe('a');
  });

  it('takes a megabyte without a space', () => {
    const text = 'ab'.repeat(500_000);
    expect(bpe.decode(bpe.encode(text))).toBe(text);
  });
});

describe('the table of tokens', () => {
  /** Each token with one character per byte. */
  let tokens: readonly string[];
  const written = (bytes: Iterable<number>): string => Array.from(bytes, (byte) => characterOfByte[byte]).join('');
  beforeAll(async () => {
    const { default: ranked } = await import('gpt-tokenizer/bpeRanks/r50k_base');
    tokens = ranked.map((token) => written(typeof token === 'string' ? Buffer.from(token) : token));
  });
  const idsOfBytes = (text: string) => Array.from(text, (character) => tokens.indexOf(character));

  it('makes every token of its own bytes, so that a piece need not be looked up as a whole', () => {
    const ofByte = new Map(characterOfByte.map((character) => [character, tokens.indexOf(character)]));
    const table = createRankTable(tokens);
    tokens.forEach((token, id) => {
      const bytes = Array.from(token, (character) => ofByte.get(character) ?? -1);
      expect([...mergePairs(bytes, bytes.length, table)]).toEqual([id]);
    });
  });

  it('gives the same ids by the heap that long pieces take', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'e', 't', 'h', 'n', 'é'), minLength: 97, maxLength: 400 });
    fc.assert(
      fc.property(text, (piece) => {
        const bytes = idsOfBytes(written(Buffer.from(piece)));
        const table = createRankTable(tokens);
        // The plain definition: the lowest rank first, the leftmost of equals.
        let parts = bytes;
        for (;;) {
          const ranks = parts.map((part, i) => (i + 1 < parts.length ? table.join(part, parts[i + 1] ?? 0) : -1));
          const least = Math.min(...ranks.filter((rank) => rank >= 0));
          if (least === Infinity) break;
          const at = ranks.indexOf(least);
          parts = [...parts.slice(0, at), least, ...parts.slice(at + 2)];
        }
        expect([...mergePairs(bytes, bytes.length, table)]).toEqual(parts);
      }),
      { numRuns: 20 },
    );
  });
});

describe('letters and numbers', () => {
  it('are those of Unicode 16, for which the engine’s own may be too old or too new', () => {
    const engine = Number(process.versions['unicode']);
    const differing = { missing: 0, more: 0 };
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      const kind = classOf(code);
      const own = /\p{L}/u.test(character)
        ? 'letter'
        : /\p{N}/u.test(character)
          ? 'number'
          : /\p{White_Space}/u.test(character)
            ? 'space'
            : 'other';
      if (kind === own) continue;
      expect([kind, own], code.toString(16)).toContain('other');
      if (own === 'other') differing.missing++;
      else differing.more++;
    }
    if (engine >= 16) expect(differing.missing).toBe(0);
    if (engine <= 16) expect(differing.more).toBe(0);
  });
});

describe('a text in pieces', () => {
  it('has the ids of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(awkwardText, fc.array(fc.nat(200)), (text, places) => {
        const cuts = [...new Set([0, ...places.map((place) => Math.min(place, text.length)), text.length])].sort(
          (a, b) => a - b,
        );
        const encoder = bpe.createEncoder();
        const ids = cuts.flatMap((cut, i) => Array.from(encoder.push(text.slice(cuts[i - 1] ?? 0, cut))));
        expect([...ids, ...encoder.flush()]).toEqual(idsOf(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is cut only where a piece ends, whatever follows', () => {
    fc.assert(
      fc.property(awkwardText, awkwardText, (before, after) => {
        const cut = lastSafeCut(before);
        const whole = before + after;
        const ends = [0];
        for (let i = 0; i < whole.length;) ends.push((i = pieceEnd(whole, i)));
        expect(ends).toContain(cut);
      }),
      { numRuns: 500 },
    );
  });

  it('is not cut before half a character, which may turn out to be a letter', () => {
    expect(lastSafeCut('a b\ud835')).toBe(1);
    expect(pieceEnd('a b\ud835\udc00', 1)).toBe(5);
  });

  it('is given out as soon as it is certain', () => {
    const encoder = bpe.createEncoder();
    expect(Array.from(encoder.push('Hello world, he'))).toEqual(idsOf('Hello world,'));
    expect(Array.from(encoder.push('llo'))).toEqual([]);
    expect(Array.from(encoder.flush())).toEqual(idsOf(' hello'));
  });

  it('starts a new text after flush', () => {
    const encoder = bpe.createEncoder();
    encoder.push('hel');
    encoder.flush();
    expect([...encoder.push('lo'), ...encoder.flush()]).toEqual(idsOf('lo'));
  });

  it('refuses a text without any break before it fills the memory', () => {
    const encoder = bpe.createEncoder();
    const half = 'x'.repeat(MAX_PIECE / 2);
    encoder.push(half);
    encoder.push(half);
    const fault = faultOf(() => encoder.push('x'));
    expect(fault.code).toBe('bad_input');
    expect(fault.message).toContain('without a single break');
  });
});
