/** Channels that steer the trainer: start, pause, stop, skip, extend, change; and the queue of projects that wait. */
import { z } from 'zod';
import { channel, nothing } from './channel.js';
import { projectId } from './values.js';

/** Settings that may change while a project runs; the change is kept, with the step at which it was made. */
export const liveSettings = z
  .strictObject({
    learning_rate: z.number().positive(),
    grpo_learning_rate: z.number().positive(),
    beta: z.number().min(0),
    log_interval: z.int().min(1),
  })
  .partial();
export type LiveSettings = z.infer<typeof liveSettings>;

const queueEntry = z.strictObject({
  project: projectId,
  name: z.string(),
  state: z.enum(['running', 'paused', 'waiting']),
});
export const queueSchema = z.strictObject({
  entries: z.array(queueEntry),
  /** What was running when the app was last closed or killed, until the person has answered whether it resumes. */
  interrupted: z.array(z.strictObject({ project: projectId, name: z.string() })),
});
export type Queue = z.infer<typeof queueSchema>;

/** How much may be added at once. */
export const mostMore = { iterations: 10_000_000, cycles: 1000 } as const;

/** What a run is doing, as it sees itself. */
export const runActivities = ['starting', 'running', 'paused', 'stopping'] as const;

const one = z.strictObject({ id: projectId });

export const runChannels = {
  /** Starts it, or puts it at the end of the queue; doing it twice does it once. */
  'runs.start': channel(one, nothing),
  /** Frees the processor, keeps the memory. */
  'runs.pause': channel(one, nothing),
  'runs.resume': channel(one, nothing),
  'runs.stop': channel(z.strictObject({ id: projectId, after: z.enum(['step', 'phase']) }), nothing),
  /** Ends the phase that runs as if it had reached its end, and continues with the next. */
  'runs.skip': channel(one, nothing),
  'runs.extend': channel(
    z.strictObject({
      id: projectId,
      /** Added to what is configured. */
      iterations: z.int().min(0).max(mostMore.iterations).default(0),
      cycles: z.int().min(0).max(mostMore.cycles).default(0),
    }),
    nothing,
  ),
  /** Trains the cycles that are left without waiting for people's votes, from now on. */
  'runs.withoutVotes': channel(one, nothing),
  'runs.change': channel(z.strictObject({ id: projectId, settings: liveSettings }), nothing),
  'queue.get': channel(nothing, queueSchema),
  /** To a place among those that wait, 0 first. */
  'queue.move': channel(z.strictObject({ project: projectId, to: z.int().min(0) }), nothing),
  'queue.remove': channel(z.strictObject({ project: projectId }), nothing),
  /** Answers what was interrupted: resumes these, forgets the others. */
  'queue.continue': channel(z.strictObject({ projects: z.array(projectId) }), nothing),
};
