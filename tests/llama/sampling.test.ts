/** Drawing from a list of tokens: the least likely are cut by the rule, and each is drawn as often as it is likely. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawFrom, samplerSettings } from '../../main/llama/sampling.js';

/** Tokens as llama.cpp lists them. */
const listed = fc
  .uniqueArray(fc.record({ id: fc.nat(50_000), weight: fc.integer({ min: 1, max: 1000 }) }), {
    ...{ minLength: 1, maxLength: 40, selector: ({ id }) => id },
  })
  .map((tokens) => {
    const total = tokens.reduce((sum, { weight }) => sum + weight, 0);
    return tokens.toSorted((a, b) => b.weight - a.weight).map(({ id, weight }) => ({ id, share: weight / total }));
  });
const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });

it('draws each token by its share of what the rule keeps', () => {
  fc.assert(
    fc.property(listed, share, share, share, (tokens, topP, minP, uniform) => {
      const rule = { temperature: 0.8, topP, minP };
      const { id, logProb } = drawFrom(
        tokens.flatMap((token) => [token.id, token.share]),
        rule,
        uniform,
      );
      let sum = 0;
      const kept = tokens.filter((token) => {
        const isIn = sum < topP;
        sum += token.share;
        return isIn && token.share >= minP * (tokens[0]?.share ?? 0);
      });
      const total = kept.reduce((all, token) => all + token.share, 0);
      const drawn = kept.find((token) => token.id === id);
      expect(Math.exp(logProb)).toBeCloseTo((drawn?.share ?? NaN) / total);
      const below = kept.filter((token) => token.id < id).reduce((all, token) => all + token.share, 0);
      expect(uniform * total).toBeGreaterThanOrEqual(below - 1e-9);
      expect(uniform * total).toBeLessThanOrEqual(below + (drawn?.share ?? NaN) + 1e-9);
    }),
  );
});

it('leaves to llama.cpp what it does in the rule’s order', () => {
  const seen = Uint32Array.of(1, 2);
  expect(samplerSettings({ temperature: 1, topP: 0.9, minP: 0.1, excluded: [7] }, seen)).toMatchObject({
    ...{ topP: 0.9, minP: 0.1, tokenBiasKeys: Uint32Array.of(7) },
  });
  // Top-p before the temperature would be another rule.
  expect(samplerSettings({ temperature: 1.5, topP: 0.9, minP: 0.1 }, seen)).toEqual({
    topP: 1,
    temperature: 1.5,
    seed: 0,
  });
  expect(samplerSettings({ temperature: 0.5, minP: 0.25, repetitionPenalty: 1.2 }, seen)).toMatchObject({
    ...{ minP: 0.5, repeatPenalty: 1.2, repeatPenaltyTokens: seen, repeatPenaltyMaxTokens: 2 },
  });
  expect(() => drawFrom([], { temperature: 1 }, 0)).toThrow();
});
