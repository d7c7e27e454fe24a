/**
 * What the supervisor and a trainer process say to each other. A trainer runs one project, or answers calls (previews,
 * measurements, writing, scoring), so that TensorFlow is never loaded anywhere else. Every message is parsed where it
 * arrives, on both sides; the first one of each says which version of this file it speaks.
 */
import { z } from 'zod';
import { sentenceSchema } from '../sentence.js';
import { modelFormats } from '../config/export-formats.js';
import { faultSchema } from '../errors.js';
import { eventSchema, runEventSchema } from '../phases/events.js';
import { languages } from '../language.js';
import { channel, longChannel, nothing } from './channel.js';
import { previewSchema } from './drafts.js';
import { playgroundChannels, writtenToken } from './playground.js';
import { ratingChannels } from './ratings.js';
import { liveSettings, mostMore, runActivities } from './runs.js';
import { measured } from '../base/measured.js';

/** Raised whenever a message changes its meaning; two that speak different versions do not work together. */
export const trainerProtocol = 2;

/** Paths and settings as the command line takes them: keys of `projectShape`, paths being real ones. */
const settingsValues = z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const folder = z.string().min(1).max(4096);
/** A folder's finished model; `model` is a name such as base_model_v2. */
const modelOf = { folder, model: z.string().min(1).max(80) };

/** A trainer's calls outside of any run. */
export const trainerCalls = {
  /** The machine and what TensorFlow reaches on it: `doctor`. */
  describe: channel(
    z.strictObject({ device: z.enum(['auto', 'cpu', 'cuda']), threads: z.int().min(1).nullable() }).partial(),
    z.strictObject({
      runtime: z.enum(['tensorflow', 'javascript']),
      tensorflow: z.string().nullable(),
      device: z.enum(['cpu', 'cuda']),
      /** Billions of multiplications and additions a second. */
      gflops: measured,
      /** The same of bfloat16, where wide models train in it by themselves. */
      gflops_bf16: measured,
      /** Why there is no TensorFlow, and what fixes it. */
      notice: sentenceSchema.nullable(),
    }),
  ),
  /** What a text and settings come to; `seconds` and `disk` are those of main/engine/cycle/preview.ts. */
  preview: longChannel(
    settingsValues,
    previewSchema.extend({
      disk: z.strictObject({ tokens: z.number(), reward_data: z.number(), checkpoints: z.number() }),
      seconds: z.strictObject({ prepare: z.number(), base_training: measured, reward_data: measured }),
    }),
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Trains the model of these settings for a few steps on made-up tokens, and says how fast that went. */
  measure: channel(
    settingsValues,
    z.strictObject({
      parameters: z.number(),
      /** Tokens of base training a second, once everything is compiled. */
      tokens_per_second: measured,
      /** Tokens written a second, at the settings' generation batch. */
      written_per_second: measured,
      /** Bytes of memory that the process had at its peak. */
      memory: z.number(),
    }),
  ),
  /** Writes with a model of a project; `playground.write` of the window's contract, with a folder for the project. */
  write: longChannel(
    playgroundChannels['playground.write'].input.omit({ project: true, model: true }).extend(modelOf),
    playgroundChannels['playground.write'].output,
    z.strictObject({ tokens: z.array(writtenToken) }),
  ),
  /** P(natural) after each prefix, by the project's newest reward model, or the one that `model` names. */
  score: channel(
    playgroundChannels['playground.score'].input.omit({ project: true, model: true }).extend(modelOf),
    playgroundChannels['playground.score'].output,
  ),
  /** A project's newest base model in a form that another program reads; of a large one, gigabytes are read and written. */
  exportModel: longChannel(
    z.strictObject({ folder, format: z.enum(modelFormats), out_dir: folder, language: z.enum(languages) }),
    nothing,
    /** Bytes. */
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Keeps a checkpoint of a base model that is being trained as a model of its own, whose name it gives back. */
  keepCheckpoint: channel(
    z.strictObject({ folder, model: z.string().max(80), step: z.int().min(0) }),
    z.strictObject({ model: z.string() }),
  ),
  /** Writes a project's passages for people to judge that are not there yet. */
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

/** Identifies an answer: chosen by the supervisor, used once. */
const request = z.int().min(1);

/** How a run is steered, once it runs. */
export const steering = z.discriminatedUnion('action', [
  /** Waits between two steps, keeping everything in memory. */
  z.strictObject({ action: z.literal('pause') }),
  z.strictObject({ action: z.literal('resume') }),
  z.strictObject({ action: z.literal('stop'), after: z.enum(['step', 'phase']) }),
  /** Ends the phase that runs as if it had reached its end. */
  z.strictObject({ action: z.literal('skip') }),
  /** Added to what is configured: steps of the phase that trains, and cycles. */
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
  /** Resumes a project where it is. Repeated for the same folder, it is already done. */
  z.strictObject({
    message: z.literal('run'),
    request,
    folder,
    /** Settings to hold an existing project against, or to change: what `verisim cycle` takes as flags. */
    given: settingsValues,
    /** Events of an earlier trainer of this run, for the project's log; published already. */
    earlier: z.array(eventSchema).max(20),
  }),
  z.strictObject({ message: z.literal('steer'), request, steering }),
  z.strictObject({ message: z.literal('call'), request, job: z.enum(callNames), input: z.unknown() }),
  z.strictObject({ message: z.literal('cancel'), request }),
  /** Answered with a pong as soon as the trainer comes to it: between two steps. */
  z.strictObject({ message: z.literal('ping'), sent: z.number() }),
  /** So many milliseconds passed in which the computer slept: no rate counts them. */
  z.strictObject({ message: z.literal('slept'), milliseconds: z.number().min(0) }),
  /** An event around the run, for the project's log; published already. */
  z.strictObject({ message: z.literal('log'), event: eventSchema }),
]);
export type ToTrainer = z.infer<typeof toTrainerSchema>;

/** Trainer to supervisor. */
export const fromTrainerSchema = z.discriminatedUnion('message', [
  z.strictObject({ message: z.literal('hello'), protocol: z.int(), pid: z.int(), version: z.string() }),
  /** What `run`, `steer` and `call` came to; for `run`, that it began. */
  z.strictObject({
    message: z.literal('answer'),
    request,
    value: z.unknown().optional(),
    fault: faultSchema.nullable(),
  }),
  z.strictObject({ message: z.literal('progress'), request, value: z.unknown() }),
  z.strictObject({ message: z.literal('activity'), activity: z.enum(runActivities) }),
  z.strictObject({ message: z.literal('event'), event: runEventSchema }),
  /** The run is over, or goes on in another process; this one ends by itself. */
  z.strictObject({
    message: z.literal('ended'),
    outcome: z.enum(['finished', 'stopped', 'failed', 'continues']),
    fault: faultSchema.nullable(),
  }),
  z.strictObject({
    message: z.literal('pong'),
    sent: z.number(),
    /** Bytes: the process's memory, and TensorFlow's tensors that JavaScript holds. */
    memory: z.number(),
  }),
]);
export type FromTrainer = z.infer<typeof fromTrainerSchema>;
