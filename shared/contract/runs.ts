/** Channels that steer the trainer and its queue. */
import { z } from 'zod';
import { channel, nothing } from './channel.js';
import { projectId } from './values.js';

/** Settings that may change while a project runs. */
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
  /** Projects that ran when the app last ended, until the user decides whether they resume. */
  interrupted: z.array(z.strictObject({ project: projectId, name: z.string() })),
});
export type Queue = z.infer<typeof queueSchema>;

export const mostMore = { iterations: 10_000_000, cycles: 1000 } as const;

export const runActivities = ['starting', 'running', 'paused', 'stopping'] as const;

const one = z.strictObject({ id: projectId });

export const runChannels = {
  /** Starts a project or queues it; idempotent. `device` replaces the project's. */
  'runs.start': channel(one.extend({ device: z.literal('cpu').optional() }), nothing),
  /** Frees the processor, keeps the memory. */
  'runs.pause': channel(one, nothing),
  'runs.resume': channel(one, nothing),
  'runs.stop': channel(z.strictObject({ id: projectId, after: z.enum(['step', 'phase']) }), nothing),
  /** Ends the current phase as if it had reached its end. */
  'runs.skip': channel(one, nothing),
  'runs.extend': channel(
    z.strictObject({
      id: projectId,
      iterations: z.int().min(0).max(mostMore.iterations).default(0),
      cycles: z.int().min(0).max(mostMore.cycles).default(0),
    }),
    nothing,
  ),
  /** Trains the newest model on the user's choices, as a cycle of its own; idempotent. */
  'runs.learn': channel(one, nothing),
  /** Trains the remaining cycles without waiting for votes. */
  'runs.withoutVotes': channel(one, nothing),
  'runs.change': channel(z.strictObject({ id: projectId, settings: liveSettings }), nothing),
  'queue.get': channel(nothing, queueSchema),
  'queue.move': channel(z.strictObject({ project: projectId, to: z.int().min(0) }), nothing),
  'queue.remove': channel(z.strictObject({ project: projectId }), nothing),
  /** Resumes these interrupted projects and forgets the others. */
  'queue.continue': channel(z.strictObject({ projects: z.array(projectId) }), nothing),
};
