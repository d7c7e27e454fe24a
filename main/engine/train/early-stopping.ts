/**
 * When to stop: "stop training if the validation loss has not decreased by at least min_delta over the last patience
 * evaluation steps" (specification 5.1). One pure rule for losses that fall and rewards that rise; its state
 * is plain JSON, so it lives in a checkpoint and an interrupted run stops where an uninterrupted one would have.
 */

export interface EarlyStoppingRule {
  /** Evaluations without improvement after which to stop; a whole number from 1. */
  readonly patience: number;
  /** The smallest change that counts as an improvement; 0 or more. With 0 any strictly better value counts. */
  readonly minDelta: number;
  /** `lower`: losses and perplexities. `higher`: rewards. */
  readonly better: 'lower' | 'higher';
}

// A type, not an interface: only then is it assignable to the checkpoint's Json.
export type EarlyStoppingState = {
  /** The last value that counted as an improvement: what the next one has to beat by minDelta. Null before the first. */
  readonly reference: number | null;
  /** The best value seen, however small its lead. Null before the first. */
  readonly best: number | null;
  /** Evaluations seen so far. */
  readonly evaluations: number;
  /** Which of them (from 1) was best; 0 before the first. */
  readonly bestEvaluation: number;
  /** Evaluations since the last improvement. */
  readonly waited: number;
};

/** How far training is, as far as stopping early goes; part of a phase's checkpoint. */
interface Judged {
  readonly step: number;
  /** The step with the best value. */
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  /** Why training is over; null while it is not. */
  readonly finished: 'max_iters' | 'patience' | 'asked' | null;
}

interface EarlyStoppingUpdate {
  readonly state: EarlyStoppingState;
  /** The value is strictly better than all before: the weights to keep. Without it min_delta would lose the best ones. */
  readonly isBest: boolean;
  /** `patience` evaluations have passed without improvement. */
  readonly stop: boolean;
}

export const initialEarlyStopping: EarlyStoppingState = {
  reference: null,
  best: null,
  evaluations: 0,
  bestEvaluation: 0,
  waited: 0,
};

/**
 * Takes one evaluation in.
 * Small steps add up: each value is compared with the last one that counted, not with the one before it.
 * A value that is not finite never counts: a diverged run runs out of patience.
 */
export function updateEarlyStopping(
  rule: EarlyStoppingRule,
  state: EarlyStoppingState,
  value: number,
): EarlyStoppingUpdate {
  const sign = rule.better === 'lower' ? 1 : -1;
  const { reference, best } = state;
  const finite = Number.isFinite(value);
  const isBest = finite && (best === null || sign * value < sign * best);
  // reference - minDelta, not reference - value: 2 - 0.001 is 1.999 in floating point, 2 - 1.999 is not 0.001.
  const improved = isBest && (reference === null || sign * value <= sign * reference - rule.minDelta);
  const evaluations = state.evaluations + 1;
  const waited = improved ? 0 : state.waited + 1;
  return {
    state: {
      reference: improved ? value : reference,
      best: isBest ? value : best,
      evaluations,
      bestEvaluation: isBest ? evaluations : state.bestEvaluation,
      waited,
    },
    isBest,
    stop: waited >= rule.patience,
  };
}

/**
 * Takes the evaluation after a training step in: the state with what it now knows, and whether these weights are the
 * ones to keep. `last` says that no step comes after this one.
 */
export function recordEvaluation<S extends Judged>(
  rule: EarlyStoppingRule,
  state: S,
  value: number,
  last: boolean,
): { readonly state: S; readonly isBest: boolean } {
  const { isBest, stop, state: stopping } = updateEarlyStopping(rule, state.stopping, value);
  return {
    isBest,
    state: {
      ...state,
      stopping,
      bestStep: isBest ? state.step : state.bestStep,
      // Who took every step did not stop early, though it may have run out of patience just then.
      finished: last ? 'max_iters' : stop ? 'patience' : null,
    },
  };
}
