/**
 * Whether one generator is less surprised by the held-out text than another by more than chance: both were measured on the
 * same consecutive parts of it, and what counts is how much their difference differs from part to part (batch means, which
 * hold although neighbouring words are not independent). Chance here is that of the text: other held-out text of the same
 * kind would have given another difference. What another seed of the training would have given, it does not say.
 */
import type { HeldOutParts, LossChange } from '../../../shared/report.js';
import { studentT975 } from '../../../shared/student-t.js';
import { sum } from './statistics.js';

/** A report keeps at most so many parts. */
const MOST_PARTS = 40;

/** Neighbouring parts together, as evenly as it goes, so that there are at most `most`. */
export function fewerParts({ nats, tokens }: HeldOutParts, most = MOST_PARTS): HeldOutParts {
  const count = Math.min(most, nats.length);
  const together = (values: readonly number[]) =>
    Array.from({ length: count }, (_, at) =>
      sum(values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count))),
    );
  return { nats: together(nats), tokens: together(tokens) };
}

/**
 * The change of the loss from one generator to another, in nats per token, with its 95 % interval (a ratio estimator's, with
 * Student's quantile). The interval is null below two parts; null altogether where the parts are not of the same text.
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
