/**
 * Early stopping: "stop training if the validation loss has not decreased by at least min_delta over the last patience
 * evaluation steps" (specification 5.1), for losses that fall and rewards that rise. Its state is JSON for the checkpoint. Pure.
 */

export interface EarlyStoppingRule {
  /** Evaluations without improvement after which to stop; a whole number from 1. */
  readonly patience: number;
  /** Smallest change that counts as an improvement; with 0 any strictly better value counts. */
  readonly minDelta: number;
  readonly better: 'lower' | 'higher';
}

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type EarlyStoppingState = {
  /** The last value that counted as an improvement. Null before the first. */
  readonly reference: number | null;
  /** The best value, by however little. Null before the first. */
  readonly best: number | null;
  readonly waited: number;
};

/** The state of a phase that stops early. A type, so that it is JSON for the checkpoint. */
export type StoppableState = {
  readonly step: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: 'max_iters' | 'patience' | 'asked' | null;
};

export const initialEarlyStopping: EarlyStoppingState = { reference: null, best: null, waited: 0 };

/**
 * Adds an evaluation. Small steps add up: a value is compared with the last one that counted, not with the previous one.
 * A value that is not finite never counts, so a diverged run exhausts its patience.
 * @returns `isBest` for a strictly better value: its weights are stored, or min_delta would lose the best ones
 */
export function updateEarlyStopping(rule: EarlyStoppingRule, state: EarlyStoppingState, value: number) {
  const sign = rule.better === 'lower' ? 1 : -1;
  const { reference, best } = state;
  const isBest = Number.isFinite(value) && (best === null || sign * value < sign * best);
  // reference - minDelta, not reference - value: 2 - 0.001 is 1.999 in floating point, 2 - 1.999 is not 0.001.
  const improved = isBest && (reference === null || sign * value <= sign * reference - rule.minDelta);
  const waited = improved ? 0 : state.waited + 1;
  const next: EarlyStoppingState = {
    reference: improved ? value : reference,
    best: isBest ? value : best,
    waited,
  };
  return { state: next, isBest, stop: waited >= rule.patience };
}

/** Adds the evaluation after a training step to a phase's state. @param last no step follows */
export function recordEvaluation<S extends StoppableState>(
  rule: EarlyStoppingRule,
  state: S,
  value: number,
  last: boolean,
): { readonly state: S; readonly isBest: boolean } {
  const { isBest, stop, state: updated } = updateEarlyStopping(rule, state.stopping, value);
  // More steps after the end are not over at their first evaluation.
  const stopping = stop ? { ...updated, waited: 0 } : updated;
  const bestStep = isBest ? state.step : state.bestStep;
  // After the last step it did not stop early, even if its patience is exhausted just then.
  return { isBest, state: { ...state, stopping, bestStep, finished: last ? 'max_iters' : stop ? 'patience' : null } };
}
