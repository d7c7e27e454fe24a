/** When following the voice stops: at the text's own values, not beyond them. Pure. */
import type { Measure, VoiceBrake, VoiceFigures } from '../../../shared/reports/report.js';

/** What is looked at after each round; after the last, nothing but the loss where the voice is followed. */
export interface Look extends Partial<Seen> {
  /** Nats per token of held-out text. */
  readonly held_out: number;
}
interface Seen {
  readonly log_ratio: number;
  readonly repeated: number;
  readonly copied: number;
  readonly distinct_3: number;
}
export type Limits = Required<Look>;

/** What a version and the text are compared by. */
export interface Level extends Pick<VoiceFigures, 'repeated' | 'copied'> {
  /** Omit where the voice is not what is followed. */
  readonly log_ratio?: Measure;
  /** Distinct-3 of as much as a round writes; omit for a version that varies as the text does. */
  readonly variety?: number;
}

/** Nats per token that held-out text may lose. */
const HELD_OUT_LOSS = 0.02;
/** The writer's log ratio is by its own measure, which rises as it learns; much more than the text's is a caricature. */
const BEYOND_TEXT = 1.3;
const REPEATED_SHARE = 1.25;
const COPIED_SHARE = 1.25;
/** A round has few long copies: so much is chance. */
const COPIED_CHANCE = 0.01;
const DISTINCT_CHANCE = 0.03;
/** What learning from choices may leave of a version's own variety, however little the text has. */
const DISTINCT_SHARE = 0.95;

/**
 * @param before the version that the cycle begins with
 * @param start its loss, and the variety of as much text as a round writes
 */
export function limitsOf(before: Level, text: Level, start: Pick<Limits, 'held_out' | 'distinct_3'>): Limits {
  const { variety } = before;
  const most = (figure: 'repeated' | 'copied') => Math.max(before[figure].mean, text[figure].mean);
  return {
    held_out: start.held_out + HELD_OUT_LOSS,
    log_ratio: text.log_ratio ? BEYOND_TEXT * text.log_ratio.mean : Infinity,
    repeated: REPEATED_SHARE * most('repeated'),
    copied: COPIED_SHARE * most('copied') + COPIED_CHANCE,
    distinct_3: Math.max(Math.min(start.distinct_3, variety ?? 1) - DISTINCT_CHANCE, DISTINCT_SHARE * (variety ?? 0)),
  };
}

/** Returns the first brake that is crossed; null if none is. */
export function crossed(look: Look, limits: Limits): VoiceBrake | null {
  if (!(look.held_out <= limits.held_out)) return 'held_out';
  const { log_ratio = 0, repeated = 0, copied = 0, distinct_3 = 1 } = look;
  if (log_ratio > limits.log_ratio) return 'log_ratio';
  if (repeated > limits.repeated) return 'repeated';
  if (copied > limits.copied) return 'copied';
  return distinct_3 < limits.distinct_3 ? 'distinct_3' : null;
}
