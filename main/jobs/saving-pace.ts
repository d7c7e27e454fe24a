/**
 * How often checkpoints are saved that nobody has asked for: so that saving takes at most a given share of the time,
 * however small the steps and large the model. What a crash can cost is then a few dozen times what saving takes. It has
 * no influence on results: a run that goes on from an earlier checkpoint comes by the same states.
 */

/** Of the time, by default. */
export const SAVING_SHARE = 0.03;

export interface SavingPace {
  /** Whether a checkpoint may be saved now; what is done from here until `saved` returns counts as saving. */
  due(): boolean;
  /** Saves, and takes the time. */
  saved(save: () => Promise<void>): Promise<void>;
}

/**
 * @param share of the time that saving may take, above 0; 1 for always
 * @param now milliseconds of a clock that does not jump
 */
export function createSavingPace(share: number, now: () => number = () => performance.now()): SavingPace {
  let began: number | null = null;
  let ended = -Infinity;
  let took = 0;
  return {
    due() {
      if (now() - ended < took * (1 / share - 1)) return false;
      began = now();
      return true;
    },
    async saved(save) {
      const start = began ?? now();
      began = null;
      await save();
      ended = now();
      took = ended - start;
    },
  };
}
