/** Draws a token by the product's one rule (main/engine/model/sampling-rule.ts), as the engine draws it. */
import type { SamplingRule } from '../engine/model/sampling-rule.js';
import type { SamplerSettings } from './addon.js';

/** Not handed over below a temperature of 1, where tokens share even less: listing the whole vocabulary takes longer than the network. */
const LEFT_OUT = 1e-4;

/** llama.cpp divides by the temperature last, where the rule does so before top-p and min-p. */
const isPlain = ({ temperature }: SamplingRule) => temperature === 1;

/** Settings under which llama.cpp lists all tokens that the rule lets draw, and possibly more. @param seen tokens in the context */
export function samplerSettings(rule: SamplingRule, seen: Uint32Array): SamplerSettings {
  const { temperature, topK = null, topP = 1, minP = 0, repetitionPenalty = 1, excluded = [] } = rule;
  const share = isPlain(rule) ? topP : 1;
  return {
    ...(excluded.length > 0 && {
      tokenBiasKeys: Uint32Array.from(excluded),
      tokenBiasValues: new Float32Array(excluded.length).fill(-Infinity),
    }),
    ...(repetitionPenalty !== 1 && {
      repeatPenalty: repetitionPenalty,
      repeatPenaltyMaxTokens: seen.length,
      repeatPenaltyTokens: seen,
    }),
    ...(topK !== null && { topK }),
    topP: temperature <= 1 ? Math.min(share, 1 - LEFT_OUT) : share,
    ...(minP > 0 && topP === 1 && { minP: minP ** temperature }),
    ...(minP > 0 && topP !== 1 && isPlain(rule) && { minP }),
    temperature,
    seed: 0,
  };
}

/** @param listed id, probability, …, the likeliest first. @param uniform in [0, 1). @returns a token and its log-probability */
export function drawFrom(listed: readonly number[], rule: SamplingRule, uniform: number) {
  const { topP = 1, minP = 0 } = rule;
  const tokens = Array.from({ length: listed.length / 2 }, (_, at) => ({
    id: listed[2 * at] ?? 0,
    share: listed[2 * at + 1] ?? 0,
  }));
  let kept = tokens.length;
  if (!isPlain(rule) && topP !== 1) {
    kept = 0;
    for (let sum = 0; kept < tokens.length && sum < topP; kept++) sum += tokens[kept]?.share ?? 0;
    const least = minP * (tokens[0]?.share ?? 0);
    while (kept > 1 && (tokens[kept - 1]?.share ?? 0) < least) kept--;
  }
  // Like the engine, which adds up the whole vocabulary: the same number draws the same token.
  const drawable = tokens.slice(0, kept).sort((a, b) => a.id - b.id);
  const total = drawable.reduce((sum, { share }) => sum + share, 0);
  let passed = 0;
  const drawn = drawable.find(({ share }) => (passed += share) > uniform * total) ?? drawable.at(-1);
  if (!drawn) throw new Error('llama.cpp listed no token');
  return { id: drawn.id, logProb: Math.log(drawn.share / total) };
}
