/** What the main process tells without being asked: subscribed to by name, each message parsed on arrival. */
import { z } from 'zod';
import { eventSchema } from '../events.js';
import { machineSchema, settingsSchema } from './machine.js';
import { projectSummary } from './projects.js';
import { queueSchema } from './runs.js';
import { projectId } from './values.js';

export const topics = {
  /** A project's state, activity or facts changed; null when it is gone. At most some times a second each. */
  'projects.changed': z.strictObject({ id: projectId, summary: projectSummary.nullable() }),
  /** What a running project tells; progress and metrics are gathered, never more than some messages a second. */
  'runs.events': z.strictObject({ id: projectId, events: z.array(eventSchema) }),
  'queue.changed': queueSchema,
  'machine.changed': machineSchema,
  'settings.changed': settingsSchema,
} as const;

export type TopicName = keyof typeof topics;
export type TopicMessage<T extends TopicName> = z.infer<(typeof topics)[T]>;
