/**
 * Messages between the supervisor and a trainer process, which runs one project or answers calls. TensorFlow is loaded only
 * there. Messages are parsed on arrival; the first states the protocol's version.
 */
import { z } from 'zod';
import { messageSchema } from '../messages/message.js';
import { modelFormats } from '../config/export-formats.js';
import { faultSchema } from '../errors.js';
import { eventSchema, runEventSchema } from '../phases/events.js';
import { channel, longChannel, nothing } from './channel.js';
import { completionChoices, completionRequest, completions } from './endpoint.js';
import { previewSchema } from './drafts.js';
import { ratingChannels } from './ratings.js';
import { liveSettings, mostMore, runActivities } from './runs.js';
import { measured } from '../base/measured.js';
import { continuationRequest, continuations, finishedContinuations, inspected, inspectRequest } from './writing.js';

export const trainerProtocol = 2;

/** Electron's channel of a trainer in a hidden window, in both directions. */
export const TRAINER_CHANNEL = 'trainer';

/** Settings with real paths, by keys of `projectShape`. */
const settingsValues = z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const folder = z.string().min(1).max(4096);

/** A trainer's calls outside of any run. */
export const trainerCalls = {
  describe: channel(
    z.strictObject({ device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']), threads: z.int().min(1).nullable() }).partial(),
    z.strictObject({
      runtime: z.enum(['tensorflow', 'wasm', 'webgpu']),
      tensorflow: z.string().nullable(),
      device: z.enum(['cpu', 'cuda', 'webgpu']),
      gflops: measured,
      /** The same of bfloat16, where wide models train in it by themselves. */
      gflops_bf16: measured,
      notice: messageSchema.nullable(),
    }),
  ),
  preview: longChannel(
    settingsValues,
    previewSchema.extend({
      /** A passage, and the nats per character that pairs of characters predict it with. */
      excerpt: z.strictObject({ text: z.string(), baseline: z.number() }),
      disk: z.strictObject({ tokens: z.number(), reward_data: z.number(), checkpoints: z.number() }),
      seconds: z.strictObject({ prepare: z.number(), base_training: measured, reward_data: measured }),
    }),
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** The loss of a model, a path or a name on the hub, on a passage. */
  familiarity: channel(
    z.strictObject({ model: folder, text: z.string().min(1).max(20_000) }),
    z.strictObject({ nats_per_character: measured }),
  ),
  /** Measures the speed of a few training steps on random tokens. */
  measure: channel(
    settingsValues,
    z.strictObject({
      parameters: z.number(),
      tokens_per_second: measured,
      written_per_second: measured,
      memory: z.number(),
    }),
  ),
  /** `writing.continue` with a folder for the project; `voices` are log ratios, if known (main/engine/voice). */
  continueText: longChannel(
    continuationRequest.extend({ folder }),
    finishedContinuations.extend({ voices: z.array(z.number()) }),
    continuations,
  ),
  /** `POST /v1/completions` with a folder for the project. */
  completeText: longChannel(completionRequest.extend({ folder }), completions, completionChoices),
  /** `writing.inspect` with a folder for the project. */
  inspect: channel(inspectRequest.extend({ folder }), inspected),
  /** Progress is in bytes. */
  exportModel: longChannel(
    z.strictObject({ folder, format: z.enum(modelFormats), out_dir: folder, language: z.string() }),
    nothing,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  ratingPassages: longChannel(
    ratingChannels['ratings.write'].input.omit({ id: true }).extend({ folder }),
    nothing,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
} as const;

export type TrainerCalls = typeof trainerCalls;
export type CallName = keyof TrainerCalls;
export type CallInput<C extends CallName> = z.input<TrainerCalls[C]['input']>;
export type CallOutput<C extends CallName> = z.output<TrainerCalls[C]['output']>;
export type CallProgress<C extends CallName> =
  NonNullable<TrainerCalls[C]['progress']> extends infer P extends z.ZodType ? z.output<P> : never;
const callNames = Object.keys(trainerCalls) as [CallName, ...CallName[]];

const request = z.int().min(1);

export const steering = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('pause') }),
  z.strictObject({ action: z.literal('resume') }),
  z.strictObject({ action: z.literal('stop'), after: z.enum(['step', 'phase']) }),
  z.strictObject({ action: z.literal('skip') }),
  z.strictObject({
    action: z.literal('extend'),
    iterations: z.int().min(0).max(mostMore.iterations),
    cycles: z.int().min(0).max(mostMore.cycles),
  }),
  z.strictObject({ action: z.literal('change'), settings: liveSettings }),
]);
export type Steering = z.infer<typeof steering>;

/** Supervisor to trainer. */
export const toTrainerSchema = z.discriminatedUnion('message', [
  z.strictObject({ message: z.literal('hello'), protocol: z.int() }),
  /** Resumes a project; idempotent. */
  z.strictObject({
    message: z.literal('run'),
    request,
    folder,
    /** Settings as flags of `verisim cycle`. */
    given: settingsValues,
    /** Published events of an earlier trainer, for the project's log. */
    earlier: z.array(eventSchema).max(20),
  }),
  z.strictObject({ message: z.literal('steer'), request, steering }),
  z.strictObject({ message: z.literal('call'), request, job: z.enum(callNames), input: z.unknown() }),
  z.strictObject({ message: z.literal('cancel'), request }),
  /** Answered with a pong between two steps. */
  z.strictObject({ message: z.literal('ping'), sent: z.number() }),
  /** Time the computer slept, which rates do not count. */
  z.strictObject({ message: z.literal('slept'), milliseconds: z.number().min(0) }),
  /** A published event for the project's log. */
  z.strictObject({ message: z.literal('log'), event: eventSchema }),
]);
export type ToTrainer = z.infer<typeof toTrainerSchema>;

/** Trainer to supervisor. */
export const fromTrainerSchema = z.discriminatedUnion('message', [
  z.strictObject({ message: z.literal('hello'), protocol: z.int(), pid: z.int(), version: z.string() }),
  /** Answers `run` (when it starts), `steer` and `call`. */
  z.strictObject({
    message: z.literal('answer'),
    request,
    value: z.unknown().optional(),
    fault: faultSchema.nullable(),
  }),
  z.strictObject({ message: z.literal('progress'), request, value: z.unknown() }),
  z.strictObject({ message: z.literal('activity'), activity: z.enum(runActivities) }),
  z.strictObject({ message: z.literal('event'), event: runEventSchema }),
  /** `continues`: another process takes over. */
  z.strictObject({
    message: z.literal('ended'),
    outcome: z.enum(['finished', 'stopped', 'failed', 'continues']),
    fault: faultSchema.nullable(),
  }),
  z.strictObject({
    message: z.literal('pong'),
    sent: z.number(),
    /** Bytes. */
    memory: z.number(),
  }),
]);
export type FromTrainer = z.infer<typeof fromTrainerSchema>;
