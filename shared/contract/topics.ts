/** Declares what the main process publishes: topics are subscribed to by name, each message parsed on arrival. */
import { z } from 'zod';
import { phaseNames } from '../phases/index.js';
import { nothing } from './channel.js';
import { machineSchema, settingsSchema } from './machine.js';
import { projectSummary } from './projects.js';
import { queueSchema } from './runs.js';
import { projectId } from './values.js';

export const topics = {
  /** A project's state, activity or facts changed; null when it is gone. At most some times a second each. */
  'projects.changed': z.strictObject({ id: projectId, summary: projectSummary.nullable() }),
  /**
   * Published when a phase has metrics up to `step`, to be requested by the window; at most once a second per phase.
   */
  'runs.rows': z.strictObject({ id: projectId, cycle: z.int(), phase: z.enum(phaseNames), step: z.int() }),
  'queue.changed': queueSchema,
  'machine.changed': machineSchema,
  'settings.changed': settingsSchema,
  /** Rings when a model was fetched, removed, or its download begins or ends. */
  'models.changed': nothing,
} as const;

export type TopicName = keyof typeof topics;
export type TopicMessage<T extends TopicName> = z.infer<(typeof topics)[T]>;
