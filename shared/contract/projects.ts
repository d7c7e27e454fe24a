/** Channels about projects and what is in them: state, cycles, reports, metrics, samples, events. */
import { z } from 'zod';
import { messageSchema } from '../messages/message.js';
import { chartAxes } from '../base/axes.js';
import { modelFormats } from '../config/export-formats.js';
import { faultSchema } from '../errors.js';
import { eventSchema } from '../phases/events.js';
import { phaseNames } from '../phases/index.js';
import { endReasons, reportSchema, unfinishedSchema } from '../reports/report.js';
import { channel, longChannel, nothing } from './channel.js';
import { circumstancesSchema, runReportFormatNames } from '../reports/run-report.js';
import { measured, sampleSchema } from '../base/measured.js';
import { fileHandle, fileInfo, givenSettings, projectId } from './values.js';

/**
 * `new`: nothing trained yet. `stopped`: can resume. `awaiting_votes`: votes decide about another cycle. `elsewhere`: another
 * process holds it. `missing`: its folder is gone. `damaged`: project.json is unreadable. `newer`: a newer version wrote it.
 */
const projectStates = [
  ...(['new', 'queued', 'running', 'paused', 'stopped', 'awaiting_votes', 'finished', 'failed'] as const),
  ...(['elsewhere', 'missing', 'damaged', 'newer'] as const),
] as const;

const activitySchema = z.strictObject({
  phase: z.enum(phaseNames),
  cycle: z.int(),
  name: z.string().nullable(),
  done: z.number(),
  total: z.number(),
  unit: z.string(),
  rate: measured,
  seconds_left: measured,
  /** Of the whole project, without early ends; null or omitted if unknown. */
  project_seconds_left: measured.optional(),
  detail: messageSchema.nullable(),
});
export type Activity = z.infer<typeof activitySchema>;

export const projectSummary = z.strictObject({
  id: projectId,
  name: z.string(),
  folder: z.string(),
  state: z.enum(projectStates),
  preset: z.string(),
  /** The name of the text that it learns from. */
  text: z.string().optional(),
  /** The first words that the newest model wrote. */
  writing: z.string().optional(),
  /** The initial model; omitted: none. */
  begins_from: z.string().optional(),
  /** Finished cycles; 0 after base training, −1 before. */
  cycle: z.int(),
  max_cycles: z.int(),
  /** Why the cycles ended; null while they continue. */
  ended: z.enum(endReasons).nullable(),
  /** The votes that it waits for: about how many, on which versions. */
  awaits: z
    .strictObject({ votes: z.int().min(0), newest: z.string(), previous: z.string() })
    .readonly()
    .nullable()
    .optional(),
  /** Held-out perplexity of base_model_v1, _v2, … */
  perplexities: z.array(measured),
  nats_per_character: z.array(measured).optional(),
  changed: z.string(),
  activity: activitySchema.nullable(),
  /** In state `elsewhere`; absent if the lock cannot be read. */
  in_use_by: z
    .strictObject({
      host: z.string(),
      pid: z.int(),
      command: z.string(),
      /** The last sign of a holder on another computer, which may be gone: `projects.takeOver` is possible. */
      silent_since: z.string().optional(),
    })
    .readonly()
    .optional(),
  /** The first unfinished phase; null or omitted: none. */
  next: z
    .strictObject({ phase: z.enum(phaseNames), cycle: z.int() })
    .nullable()
    .optional(),
  fault: faultSchema.nullable(),
  /** False if another version or machine prevents an exact resume. */
  exact: z.boolean(),
});
export type ProjectSummary = z.infer<typeof projectSummary>;

const phaseState = z.enum(['waiting', 'running', 'finished']);

const projectDetails = z.strictObject({
  summary: projectSummary,
  folder: z.string(),
  config: givenSettings,
  verisim_version: z.string(),
  timeline: z.array(
    z.strictObject({
      cycle: z.int(),
      phases: z.array(z.strictObject({ phase: z.enum(phaseNames), name: z.string(), state: phaseState })),
    }),
  ),
  models: z.array(z.string()),
  /** Cycles that learn from the user's choices. */
  learned_cycles: z.array(z.int()).readonly(),
});
export type ProjectDetails = z.infer<typeof projectDetails>;

const loggedEvent = z.strictObject({ at: z.string(), event: eventSchema });
export type LoggedEvent = z.infer<typeof loggedEvent>;

const seriesSchema = z.strictObject({
  steps: z.array(z.number()),
  values: z.array(measured),
  /** On the requested axis; omitted: the steps. */
  positions: z.array(z.number()).optional(),
});
export type Series = z.infer<typeof seriesSchema>;

export const completionSchema = z.strictObject({
  step: z.int(),
  prompt: z.string(),
  completion: z.string(),
  reward: measured,
  advantage: measured,
});

export const rewardExample = z.strictObject({
  index: z.int(),
  natural: z.string(),
  generated: z.string(),
  /** K/N, and the model's P(natural); null before the model is trained. */
  truth: z.number(),
  predicted: measured,
});

const page = { offset: z.int().min(0), count: z.int().min(1).max(500) };

export const projectChannels = {
  /** Progress: some of the projects as they are read, the last changed first. */
  'projects.list': longChannel(
    nothing,
    z.strictObject({ projects: z.array(projectSummary) }),
    z.strictObject({ projects: z.array(projectSummary) }),
  ),
  'projects.get': channel(z.strictObject({ id: projectId }), projectDetails),
  'projects.open': channel(z.strictObject({ folder: fileHandle }), z.strictObject({ id: projectId })),
  'projects.rename': channel(z.strictObject({ id: projectId, name: z.string().min(1).max(200) }), nothing),
  /** Frees a project from a holder on another computer that gives no sign. */
  'projects.takeOver': channel(z.strictObject({ id: projectId }), nothing),
  /** Shows the folder in the system's file manager (Electron only). */
  'projects.reveal': channel(z.strictObject({ id: projectId }), nothing),
  /** Sets it aside for `projects.restore` until the app ends. */
  'projects.delete': channel(z.strictObject({ id: projectId }), z.strictObject({ undo: z.string() })),
  'projects.restore': channel(z.strictObject({ undo: z.string() }), z.strictObject({ id: projectId })),
  'projects.deleted': channel(
    nothing,
    z.strictObject({
      projects: z.array(
        z.strictObject({
          undo: z.string(),
          name: z.string(),
          folder: z.string(),
          deleted: z.string().nullable(),
        }),
      ),
      /** Where deleted projects end. */
      then: z.enum(['trash', 'gone']),
    }),
  ),
  'projects.empty': channel(nothing, nothing),
  'projects.export': channel(
    z.strictObject({ id: projectId, file: fileHandle }),
    z.strictObject({ bytes: z.number() }),
  ),
  /** A folder for an export: chosen in the system's dialog, in a browser a free one next to the project; null if cancelled. */
  'projects.exportPlace': channel(
    z.strictObject({ id: projectId, format: z.enum(modelFormats) }),
    z.strictObject({ folder: fileInfo.nullable() }),
  ),
  /** Exports the newest base model to a folder from `projects.exportPlace`. Progress is in bytes. */
  'projects.exportModel': longChannel(
    z.strictObject({ id: projectId, format: z.enum(modelFormats), language: z.string(), folder: fileHandle }),
    z.strictObject({ folder: fileInfo, place: z.string() }),
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  'projects.saveReport': channel(
    z.strictObject({
      ids: z.array(projectId).min(1).max(100),
      format: z.enum(runReportFormatNames),
      language: z.string(),
      file: fileHandle,
    }),
    z.strictObject({ file: fileInfo, bytes: z.number() }),
  ),
  'projects.circumstances': channel(z.strictObject({ id: projectId }), circumstancesSchema),
  'projects.import': channel(z.strictObject({ file: fileHandle }), z.strictObject({ id: projectId })),
  /** Makes the sample project and starts it, from scratch if its model is missing. */
  'projects.sample': channel(
    z.strictObject({ begin: z.enum(['model', 'nothing']).default('model'), name: z.string().min(1).max(200) }),
    z.strictObject({ id: projectId }),
  ),
  'projects.reports': channel(
    z.strictObject({ id: projectId }),
    z.strictObject({
      reports: z.array(reportSchema),
      /** The current cycle, once its reward model is trained. */
      unfinished: unfinishedSchema.nullable(),
    }),
  ),
  'projects.events': channel(
    z.strictObject({ id: projectId, count: page.count }),
    z.strictObject({ events: z.array(loggedEvent) }),
  ),
  /** Series between two places on the axis, thinned to `points` so that extremes stay. */
  'metrics.window': channel(
    z.strictObject({
      id: projectId,
      cycle: z.int().min(0),
      phase: z.enum(phaseNames),
      names: z.array(z.string().max(80)).max(256),
      axis: z.enum(chartAxes).default('step'),
      from: z.number().nullable(),
      to: z.number().nullable(),
      points: z.int().min(2).max(5000),
    }),
    z.strictObject({
      series: z.record(z.string(), seriesSchema),
      last_step: z.int(),
      /** Rows without a place on the axis, which are omitted. */
      unplaced: z.int().min(0),
    }),
  ),
  /** Samples of each evaluation, in order; `around` a step: the last evaluation up to it, and its neighbours. */
  'samples.overTime': channel(
    z.strictObject({
      id: projectId,
      cycle: z.int().min(0),
      most: z.int().min(2).max(100),
      around: z.int().nullable().default(null),
    }),
    z.strictObject({
      total: z.int(),
      evaluations: z.array(
        z.strictObject({ phase: z.enum(phaseNames), step: z.int(), samples: z.array(sampleSchema) }),
      ),
    }),
  ),
  'completions.page': channel(
    z.strictObject({
      id: projectId,
      cycle: z.int().min(1),
      search: z.string().max(200),
      sort: z.enum(['step', 'reward', 'advantage']),
      descending: z.boolean(),
      /** Only those of the last step up to this one; omitted: all. */
      at: z.number().min(0).optional(),
      ...page,
    }),
    z.strictObject({ total: z.int(), rows: z.array(completionSchema) }),
  ),
  'rewardData.summary': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(1) }),
    z.strictObject({
      /** The quality report of `dataset_info`. */
      checks: z.array(z.strictObject({ label: z.string(), value: z.string(), ok: z.boolean() })),
      /** Crossovers in each bin of [0, 1]. */
      crossover_counts: z.array(z.int()),
    }),
  ),
  /** `worst`: the largest errors on the validation split. */
  'rewardData.examples': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(1), order: z.enum(['first', 'worst']), ...page }),
    z.strictObject({ total: z.int(), rows: z.array(rewardExample) }),
  ),
};
