/** From the curves of a project to what the study says of it: did the cycles pay? Pure. */
import { PAYS } from '../../../shared/cycle-control.js';
import type { Interval } from '../../../shared/report.js';
import { mean } from '../../../main/engine/statistics/statistics.js';
import {
  gainAt,
  gainOver,
  lead,
  meanVariety,
  allRows,
  natsPerCharacter,
  type Curve,
  type Gain,
} from '../../../main/engine/statistics/frontier.js';
import type { WrittenPoint } from '../../../main/engine/cycle/passage-curves.js';

/** Of a writer's size, so that it could be used in place of what the cycles made; or larger, or several times the work. */
export type Size = 'same' | 'larger';

export interface Way {
  readonly curve: readonly WrittenPoint[];
  readonly size: Size;
  /** A person can choose it in the app in place of cycles. */
  readonly isOffered?: boolean;
}

/** Against the best of some rivals. */
interface Verdict {
  readonly best_rival: string | null;
  /** The gain over the best rival's, which counts as a thousandth where it is less; null where either is not known. */
  readonly ratio: number | null;
  /** Of the cycles' curve over the best rival's, nats per character. */
  readonly lead: Gain;
  /** By `PAYS`, and not by chance. */
  readonly paid: boolean;
}

interface FrontierResult extends Verdict {
  /** Nats per character at the base model's variety, under a judge of another text. */
  readonly cycle_gain: number | null;
  readonly cycle_gain_interval: Interval | null;
  readonly rivals: Readonly<Record<string, number | null>>;
  /** The same among rivals that are no larger than the writer, and write in one go. */
  readonly same_size: Verdict;
  /** Among those that the app offers: what its advice is about. */
  readonly offered: Verdict;
}

/** @param base at its own temperature */
export function frontierResult(
  base: WrittenPoint,
  cycles: Curve,
  rivals: Readonly<Record<string, Way>>,
  seed: number,
): FrontierResult {
  const cycle = gainOver(base, cycles, seed);
  const gains = Object.entries(rivals).map(([name, way]) => ({
    ...{ name, ...way, gain: gainAt(base, way.curve) },
  }));
  const against = (among: typeof gains): Verdict => {
    const known = among.filter(({ gain }) => gain !== null).sort((a, b) => (b.gain ?? 0) - (a.gain ?? 0));
    const [best] = known;
    const ahead = best ? lead(base, cycles, best.curve, seed) : { mean: null, interval: null };
    const ratio = best ? ratioOf(cycle.mean, best.gain) : null;
    const isClear = (ahead.interval?.low ?? 0) > 0 && (cycle.interval?.low ?? 0) > 0;
    return { best_rival: best?.name ?? null, ratio, lead: ahead, paid: isClear && ratio !== null && ratio >= PAYS };
  };
  return {
    cycle_gain: cycle.mean,
    cycle_gain_interval: cycle.interval,
    rivals: Object.fromEntries(gains.map(({ name, gain }) => [name, gain])),
    ...against(gains),
    same_size: against(gains.filter(({ size }) => size === 'same')),
    offered: against(gains.filter(({ isOffered }) => isOffered === true)),
  };
}

/** Of the cycles' writer under another rule of drawing tokens, and over the base model's under the same. */
export const gainsWith = (base: WrittenPoint, cycles: Curve, rival: Curve, seed: number) => ({
  gain: gainOver(base, cycles, seed),
  lead: lead(base, cycles, rival, seed),
});

/** A rival's gain below this is none: a ratio to it would tell nothing. */
const NOTHING = 0.001;

const ratioOf = (gain: number | null, rival: number | null): number | null =>
  gain === null || rival === null ? null : gain / Math.max(rival, NOTHING);

/** A point as the JSON keeps it. */
export function pointFigures(point: Omit<WrittenPoint, 'entropy'> & Partial<Pick<WrittenPoint, 'entropy'>>) {
  const rows = allRows(point.nats.length);
  const characters = point.characters;
  const sum = (values: ArrayLike<number>) => mean(values) * values.length;
  return {
    temperature: point.temperature,
    nats_per_character: natsPerCharacter(point, rows),
    variety: meanVariety(point, rows),
    self_bleu: mean(point.selfBleu),
    copied_share: mean(point.copied),
    entropy: point.entropy ? sum(point.entropy) / sum(characters) : null,
    sample: point.sample,
  };
}
