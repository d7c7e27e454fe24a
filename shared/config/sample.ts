/**
 * The sample project, the same from the window's first click and from `npm start` in a terminal: it begins from the model that
 * the set-up fetched, or from nothing where that is not there or not wanted.
 */
import { initialModelPath } from './init.js';

/** Shows a whole cycle, so it reads for three minutes only. */
const fromModel = { preset: 'smollm2', tokenization: 'auto', max_iters: 60, max_cycles: 1 } as const;

const fromNothing = {
  /** The smallest size at which the method was measured to work. */
  preset: 'tiny',
  max_cycles: 2,
  // The judge would take longer than everything else together.
  judge_passages: 0,
} as const;

/** @param init_from path of the model; left out or `scratch`: from nothing */
export const sampleProject = (init_from?: string) =>
  init_from === undefined || initialModelPath({ init_from }) === null ? fromNothing : { ...fromModel, init_from };
