/** Declares what the main process publishes: topics are subscribed to by name, each message parsed on arrival. */
import { z } from 'zod';
import { sampleSchema } from '../base/measured.js';
import { phaseNames } from '../phases/index.js';
import { nothing } from './channel.js';
import { machineSchema, settingsSchema } from './machine.js';
import { projectSummary } from './projects.js';
import { queueSchema } from './runs.js';
import { projectId } from './values.js';

export const topics = {
  /** Null if the project is gone. At most some times a second each. */
  'projects.changed': z.strictObject({ id: projectId, summary: projectSummary.nullable() }),
  'runs.rows': z.strictObject({ id: projectId, cycle: z.int(), phase: z.enum(phaseNames), step: z.int() }),
  /** What the model that is trained writes after that step, as far as it is written. */
  'runs.writing': z.strictObject({
    id: projectId,
    cycle: z.int(),
    step: z.int(),
    samples: z.array(sampleSchema).readonly(),
  }),
  'queue.changed': queueSchema,
  'machine.changed': machineSchema,
  'settings.changed': settingsSchema,
  'models.changed': nothing,
} as const;

export type TopicName = keyof typeof topics;
export type TopicMessage<T extends TopicName> = z.infer<(typeof topics)[T]>;
