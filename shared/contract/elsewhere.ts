/**
 * A run that the window did not start: what it tells of itself in its project's folder, for whoever looks at the project
 * (main/storage/projects/run-desk.ts). It is asked there for what `steering` of trainer.ts says, as a trainer is.
 */
import { z } from 'zod';
import { phaseEvent, progressEvent } from '../events.js';
import { runActivities } from './runs.js';
import { measured } from './values.js';

/** One of several processes that work on a run. */
export const rankFigures = z.strictObject({
  rank: z.int().min(0),
  /** Where it listens, "host:port". */
  place: z.string().max(100),
  /** What it computes while it does not wait; null before the first is known. */
  tokens_per_second: measured,
  /** Of the time. */
  waiting: measured,
});
export type RankFigures = z.infer<typeof rankFigures>;

export const runTold = z.strictObject({
  activity: z.enum(runActivities),
  phase: phaseEvent.nullable(),
  progress: progressEvent.nullable(),
  /** By rank; none where one process works alone. */
  ranks: z.array(rankFigures).max(1024),
});
export type RunTold = z.infer<typeof runTold>;
