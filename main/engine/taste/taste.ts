/**
 * Learns what a user prefers from choices among continuations: the chance of each of those on offer is the softmax of a weighted
 * sum of its features (conditional logit, McFadden 1974; Bradley–Terry for two). Before the first choice the weights are those of
 * following the voice, and choices move them from there. Pure.
 */
import { tasteFeatures, type Preference, type TasteFeature } from '../../../shared/writing-taste.js';
import { shareInterval } from '../statistics/statistics.js';
import { featuresOf } from './features.js';

export interface Choice {
  readonly context: string;
  readonly chosen: string;
  readonly others: readonly string[];
  /** Log ratios of the chosen one and the others, if known (features.ts). */
  readonly voice?: readonly number[];
}

export interface Taste {
  /** Above that of another continuation of the same context, this one is rather chosen. @param voice its log ratio, if known */
  score(context: string, text: string, voice?: number): number;
  /** What is understood, most certain first. */
  readonly preferences: readonly Preference[];
  /** How often choices that it had not learned from would have been guessed; null below `LEAST_CHOICES`. */
  readonly guessed: { readonly share: number; readonly low: number; readonly chance: number } | null;
  /** Whether choices would have been guessed more often than by chance. */
  readonly certain: boolean;
}

/** Fewer choices show nothing. */
const LEAST_CHOICES = 10;
/** The inverse of a weight's variance before any choice, for features in units of their spread. */
const PENALTY: number = 4;
/** Weights before any choice: the author's voice, less repetition. */
const PRIOR: Partial<Readonly<Record<TasteFeature, number>>> = { voice: 0.5, repeats: -0.35 };
/** Their features' spread among continuations of a context, until choices show it. */
const USUAL_SPREAD: typeof PRIOR = { voice: 0.15, repeats: 0.03 };
const prior: Vector = tasteFeatures.map((feature) => PRIOR[feature] ?? 0);
/** A preference is named when its weight is this many standard errors from 0. */
const CERTAIN = 2;
const MOST_NAMED = 4;
const FOLDS = 5;
const NEWTON_STEPS = 12;

type Vector = readonly number[];
/** The features of what was on offer, the chosen one first. */
type Offered = readonly Vector[];

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** @param ignored features that the user does not want to count */
export function learnTaste(choices: readonly Choice[], ignored: readonly TasteFeature[] = []): Taste {
  const used = tasteFeatures.map((feature) => !ignored.includes(feature));
  const raw = choices.map(({ context, chosen, others, voice = [] }) =>
    [chosen, ...others].map((text, at) => featuresOf(context, text, voice[at])),
  );
  const usual = tasteFeatures.map((feature) => USUAL_SPREAD[feature] ?? 0);
  const scale = spreadOf(raw)
    .map((spread, i) => spread || (usual[i] ?? 0))
    .map((spread, i) => (used[i] && spread > 0 ? 1 / spread : 0));
  const scaled = (features: Vector): Vector => features.map((value, i) => value * (scale[i] ?? 0));
  const offers = raw.map((offer) => offer.map(scaled));
  const { weights, variances } = fit(offers);
  const certainty = weights.map((weight, i) => weight / Math.sqrt(variances[i] ?? Infinity));
  const preferences = tasteFeatures
    .map((feature, i) => ({ feature, z: certainty[i] ?? 0 }))
    .filter(({ z }) => Math.abs(z) >= CERTAIN)
    .sort((a, b) => Math.abs(b.z) - Math.abs(a.z))
    .slice(0, MOST_NAMED)
    .map(({ feature, z }) => ({ feature, more: z > 0 }));
  const guessed = choices.length < LEAST_CHOICES ? null : guessedBy(offers);
  return {
    score: (context, text, voice) => dot(weights, scaled(featuresOf(context, text, voice))),
    preferences: guessed ? preferences : [],
    guessed,
    certain: guessed !== null && guessed.low > guessed.chance,
  };
}

/** The standard deviation of each feature among what was on offer together. */
function spreadOf(offers: readonly Offered[]): number[] {
  const deviations = offers.flatMap((offer) =>
    offer.map((features) =>
      features.map((value, i) => value - offer.reduce((sum, other) => sum + (other[i] ?? 0), 0) / offer.length),
    ),
  );
  return tasteFeatures.map((_, i) =>
    Math.sqrt(deviations.reduce((sum, row) => sum + (row[i] ?? 0) ** 2, 0) / Math.max(1, deviations.length)),
  );
}

/** Newton's method from the prior; the loss is convex. */
function fit(offers: readonly Offered[]): { readonly weights: Vector; readonly variances: Vector } {
  let weights = [...prior];
  let inverse: readonly Vector[] = [];
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const slope = weights.map((weight, i) => PENALTY * (weight - (prior[i] ?? 0)));
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? PENALTY : 0)));
    for (const offer of offers) {
      const chances = softmax(offer.map((features) => dot(weights, features)));
      const mean = weights.map((_, i) => offer.reduce((sum, x, at) => sum + (chances[at] ?? 0) * (x[i] ?? 0), 0));
      for (let i = 0; i < weights.length; i++) slope[i] = (slope[i] ?? 0) + (mean[i] ?? 0) - (offer[0]?.[i] ?? 0);
      offer.forEach((x, at) => {
        const away = x.map((value, i) => value - (mean[i] ?? 0));
        curvature.forEach((row, i) => {
          const part = (chances[at] ?? 0) * (away[i] ?? 0);
          for (let j = 0; j < weights.length; j++) row[j] = (row[j] ?? 0) + part * (away[j] ?? 0);
        });
      });
    }
    inverse = inverted(curvature);
    weights = weights.map((weight, i) => weight - dot(inverse[i] ?? [], slope));
  }
  return { weights, variances: inverse.map((row, i) => row[i] ?? 0) };
}

function softmax(scores: Vector): Vector {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}

/** Gauss–Jordan elimination; the matrix is positive definite, so no pivoting is needed. */
function inverted(matrix: readonly Vector[]): number[][] {
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  rows.forEach((pivot, i) => {
    const scale = pivot[i] ?? 1;
    for (let j = 0; j < pivot.length; j++) pivot[j] = (pivot[j] ?? 0) / scale;
    rows.forEach((row, other) => {
      const factor = row[i] ?? 0;
      if (other === i || factor === 0) return;
      for (let j = 0; j < row.length; j++) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
    });
  });
  return rows.map((row) => row.slice(matrix.length));
}

/** Cross-validation: each fifth of the choices is guessed by the weights of the others. Ties count by chance. */
function guessedBy(offers: readonly Offered[]) {
  let right = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const { weights } = fit(offers.filter((_, at) => at % FOLDS !== fold));
    for (const offer of offers.filter((_, at) => at % FOLDS === fold)) {
      const scores = offer.map((features) => dot(weights, features));
      const best = Math.max(...scores);
      if (scores[0] === best) right += 1 / scores.filter((score) => score === best).length;
    }
  }
  const chance = offers.reduce((sum, offer) => sum + 1 / offer.length, 0) / offers.length;
  return { share: right / offers.length, low: shareInterval(right, offers.length)?.low ?? 0, chance };
}
