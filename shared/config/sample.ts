/** The sample project, the same from the window's first click and from `npm start` in a terminal. */
export const sampleProject = {
  /** The smallest size at which the method was measured to work (docs/experiments.md). */
  preset: 'tiny',
  tokenization: 'char',
  max_cycles: 2,
  // The judge would take longer than everything else together.
  judge_passages: 0,
} as const;
