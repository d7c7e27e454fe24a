/**
 * Tests whether one generator has a lower held-out loss than another by more than chance, on the same consecutive parts of the text
 * (batch means, since neighbouring words are not independent). Chance is that of the text, not of the training's seed.
 */
import type { HeldOutParts, HeldOutSample, LossChange } from '../../../shared/reports/report.js';
import { studentT975 } from '../../../shared/base/student-t.js';
import { sum } from './statistics.js';

/** The most parts in a report. */
const MOST_PARTS = 40;

/** Joins neighbouring parts as evenly as possible until at most `most` are left. */
export function fewerParts({ nats, tokens }: HeldOutParts, most = MOST_PARTS): HeldOutParts {
  const count = Math.min(most, nats.length);
  const together = (values: readonly number[]) =>
    Array.from({ length: count }, (_, at) =>
      sum(values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count))),
    );
  return { nats: together(nats), tokens: together(tokens) };
}

/**
 * The change of the loss in nats per token, with its 95 % interval (a ratio estimator's, with Student's quantile), which is null below
 * two parts. Null if the parts are not of the same text.
 */
export function heldOutChange(before: HeldOutParts | undefined, after: HeldOutParts | undefined): LossChange | null {
  if (!before || !after || before.tokens.length === 0) return null;
  if (before.tokens.length !== after.tokens.length || before.tokens.some((count, at) => count !== after.tokens[at]))
    return null;
  const tokens = sum(after.tokens);
  const differences = after.nats.map((nats, at) => nats - (before.nats[at] ?? Number.NaN));
  const mean = sum(differences) / tokens;
  if (!Number.isFinite(mean)) return null;
  const parts = differences.length;
  if (parts < 2) return { mean, interval: null };
  const unexplained = sum(differences.map((difference, at) => (difference - mean * (after.tokens[at] ?? 0)) ** 2));
  const reach = studentT975(parts - 1) * Math.sqrt((unexplained * parts) / (parts - 1)) * (1 / tokens);
  return { mean, interval: { low: mean - reach, high: mean + reach } };
}

/** Describes which part of a split of `length` tokens was measured, with the interval of its loss; empty if all of it was. */
export function sampleOf(parts: HeldOutParts, length: number): { readonly held_out_sample?: HeldOutSample } {
  const tokens = sum(parts.tokens);
  if (tokens >= length - 1) return {};
  const interval = heldOutChange({ ...parts, nats: parts.nats.map(() => 0) }, parts)?.interval ?? null;
  return { held_out_sample: { tokens, of: length - 1, interval } };
}
