/**
 * Events of a running job, one JSON object each: the terminal's `--json` lines, the trainer's messages and the
 * project's logs. Words for people are in `message`; numbers are in named fields.
 */
import { z } from 'zod';
import { measured } from '../base/measured.js';
import { faultSchema } from '../errors.js';
import { messageSchema } from '../messages/message.js';
import { phaseNames } from './index.js';

export type { PhaseName } from './index.js';

const phase = z.enum(phaseNames);

/** A phase begins, ends, or is skipped because its result is already there. */
const phaseEvent = z.object({
  event: z.literal('phase'),
  phase,
  state: z.enum(['started', 'finished', 'skipped']),
  /** 0 is base training; cycles count from 1. */
  cycle: z.int().optional(),
  /** What the phase makes: base_model_v1, reward_data_v1, … */
  name: z.string().optional(),
  message: messageSchema,
});
const progressEvent = z.object({
  event: z.literal('progress'),
  phase,
  done: z.number(),
  total: z.number(),
  unit: z.enum(['steps', 'samples', 'tokens', 'bytes', 'batches']),
  /** Units a second, and seconds until `total` at that rate. */
  rate: measured,
  seconds_left: measured,
  /** Until the whole project is done, without early ends; null while unknown. Only with cycles. */
  project_seconds_left: measured.optional(),
  /** A few words for the end of the progress line, such as "loss 1.93". */
  detail: messageSchema.optional(),
});

/** Everything but rows of metrics. */
const happenings = [
  phaseEvent,
  progressEvent,
  /** Something a person should read: why training stopped, that the reward model is blind, … */
  z.object({
    event: z.literal('notice'),
    level: z.enum(['info', 'warning']),
    code: z.string(),
    message: messageSchema,
  }),
  z.object({ event: z.literal('sample'), label: z.string(), prompt: z.string(), completion: z.string() }),
  /** What the model that is trained writes after so many steps, always after the same prompts; 0: before the first. */
  z.object({
    event: z.literal('samples'),
    phase,
    cycle: z.int().optional(),
    step: z.int(),
    samples: z.array(z.object({ prompt: z.string(), completion: z.string() })).readonly(),
  }),
  /** Samples that are being written, as far as they are. Not logged. */
  z.object({
    event: z.literal('writing'),
    phase,
    cycle: z.int().optional(),
    step: z.int(),
    samples: z.array(z.object({ prompt: z.string(), completion: z.string() })).readonly(),
  }),
  /** What is to be computed is compiled for this machine first: nothing moves for about so many seconds. */
  z.object({ event: z.literal('compiling'), seconds: z.number(), message: messageSchema }),
  z.object({ event: z.literal('checkpoint'), name: z.string(), step: z.int() }),
  z.object({ event: z.literal('done') }).catchall(z.unknown()),
  z.object({ event: z.literal('error'), fault: faultSchema }),
] as const;

/** One row of the run's metrics, as kept in metrics.jsonl, where `at` is added: an ISO time. */
const metricsRow = z.object({
  event: z.literal('metrics'),
  phase,
  cycle: z.int().optional(),
  step: z.int(),
  /** What was computed since the row before; earlier versions did not say. */
  seconds_computed: z.number().optional(),
  values: z.record(z.string(), measured),
});

/** An event that a job reports to its caller. */
export const eventSchema = z.discriminatedUnion('event', [...happenings, metricsRow]);
export type JobEvent = z.infer<typeof eventSchema>;

/**
 * What leaves the trainer: of metrics only that they are there, for metrics.jsonl has them. "Phase p of cycle c has rows
 * up to step s."
 */
const rowsSchema = z.object({ event: z.literal('rows'), phase, cycle: z.int(), step: z.int() });
export const runEventSchema = z.discriminatedUnion('event', [...happenings, rowsSchema]);
export type RunEvent = z.infer<typeof runEventSchema>;

/** The last events of a run that describe its position, for readers that come later. */
export interface WhereItIs {
  readonly phase: z.infer<typeof phaseEvent> | null;
  readonly progress: z.infer<typeof progressEvent> | null;
}

/** Where a run is after one more event; the same object where that has not changed. */
export function whereAfter(before: WhereItIs, event: RunEvent | JobEvent): WhereItIs {
  const { phase, progress } = before;
  if (event.event === 'phase') return { phase: event, progress: null };
  if (event.event === 'progress') return { phase, progress: event };
  const isWaiting = event.event === 'compiling' || (event.event === 'notice' && event.code === 'disk_nearly_full');
  if (!isWaiting || !phase) return before;
  const notStarted = { done: 0, total: 0, unit: 'steps', rate: null, seconds_left: null } as const;
  const now = progress ?? { event: 'progress' as const, phase: phase.phase, ...notStarted };
  return { phase, progress: { ...now, detail: event.message } };
}

export function withoutNumbers(event: JobEvent): RunEvent {
  if (event.event !== 'metrics') return event;
  const { phase, cycle = 0, step } = event;
  return { event: 'rows', phase, cycle, step };
}
