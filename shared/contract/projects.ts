/** Channels about projects and what is in them: state, cycles, reports, metrics, samples, events. */
import { z } from 'zod';
import { sentenceSchema } from '../sentence.js';
import { chartAxes } from '../base/axes.js';
import { modelFormats } from '../config/export-formats.js';
import { faultSchema } from '../errors.js';
import { eventSchema } from '../phases/events.js';
import { languages } from '../language.js';
import { phaseNames } from '../phases/index.js';
import { endReasons, reportSchema, unfinishedSchema } from '../reports/report.js';
import { channel, longChannel, nothing } from './channel.js';
import { circumstancesSchema, runReportFormatNames } from '../reports/run-report.js';
import { measured, sampleSchema } from '../base/measured.js';
import { fileHandle, fileInfo, givenSettings, projectId } from './values.js';

/**
 * `running`, `paused`, `queued`: in the trainer or waiting for it. `stopped`: has a checkpoint to resume from. `new`:
 * nothing trained yet. `awaiting_votes`: human votes decide whether there is another cycle. `finished`: every cycle is
 * done. `failed`: stopped by a fault. `elsewhere`: another program holds it and accepts no requests; one that does also
 * reports its activity. `missing`: the folder does not exist any more. `damaged`: project.json cannot be read.
 */
const projectStates = [
  'new',
  'queued',
  'running',
  'paused',
  'stopped',
  'awaiting_votes',
  'finished',
  'failed',
  'elsewhere',
  'missing',
  'damaged',
] as const;

/** Where a running project is, from the trainer's last progress event. */
const activitySchema = z.strictObject({
  phase: z.enum(phaseNames),
  cycle: z.int(),
  name: z.string().nullable(),
  done: z.number(),
  total: z.number(),
  unit: z.string(),
  rate: measured,
  seconds_left: measured,
  /** Until the whole project is done, without early ends; null or omitted while unknown. */
  project_seconds_left: measured.optional(),
  detail: sentenceSchema.nullable(),
});
export type Activity = z.infer<typeof activitySchema>;

export const [mostTags, tagLength, noteLength] = [20, 40, 4000];
/** A person's own words about a project. */
export const notesSchema = z.strictObject({
  tags: z.array(z.string().trim().min(1).max(tagLength)).max(mostTags),
  text: z.string().max(noteLength),
});
export type ProjectNotes = z.infer<typeof notesSchema>;

export const projectSummary = z.strictObject({
  id: projectId,
  name: z.string(),
  state: z.enum(projectStates),
  preset: z.string(),
  /** The model that it began from; left out: nothing. */
  begins_from: z.string().optional(),
  tokenization: z.enum(['bpe', 'char', 'learned', 'pretrained']).nullable(),
  /** Finished cycles; 0 after base training, −1 before. */
  cycle: z.int(),
  max_cycles: z.int(),
  /** Why its cycles are over; null while they are not. */
  ended: z.enum(endReasons).nullable(),
  /** About how many more votes on which two versions it waits for; null or left out: for none. */
  awaits: z
    .strictObject({ votes: z.int().min(0), newest: z.string(), previous: z.string() })
    .readonly()
    .nullable()
    .optional(),
  /** Held-out perplexity of base_model_v1, _v2, …; what the sparkline draws. */
  perplexities: z.array(measured),
  best_perplexity: measured,
  /** The same held-out loss in nats per character; null or left out where it was not measured. */
  nats_per_character: z.array(measured).optional(),
  best_nats_per_character: measured.optional(),
  /** ISO 8601. */
  changed: z.string(),
  activity: activitySchema.nullable(),
  /** The process that uses a project in state `elsewhere`; absent if its lock cannot be read. */
  in_use_by: z
    .strictObject({
      host: z.string(),
      pid: z.int(),
      /** "verisim cycle". */
      command: z.string(),
    })
    .readonly()
    .optional(),
  /** What it continues with when it is started: its first phase that is not finished; null or left out: nothing is left. */
  next: z
    .strictObject({ phase: z.enum(phaseNames), cycle: z.int() })
    .nullable()
    .optional(),
  fault: faultSchema.nullable(),
  /** Left out: none. */
  notes: notesSchema.optional(),
  /** False when a resume could not be exact: another version or machine. */
  exact: z.boolean(),
});
export type ProjectSummary = z.infer<typeof projectSummary>;

const phaseState = z.enum(['waiting', 'running', 'finished']);

const projectDetails = z.strictObject({
  summary: projectSummary,
  /** The folder, for display and for copying. */
  folder: z.string(),
  config: givenSettings,
  verisim_version: z.string(),
  /** One entry for cycle 0 and each later one, with its phases in order. */
  timeline: z.array(
    z.strictObject({
      cycle: z.int(),
      phases: z.array(z.strictObject({ phase: z.enum(phaseNames), name: z.string(), state: phaseState })),
    }),
  ),
  /** Names of models that can be written with. */
  models: z.array(z.string()),
});
export type ProjectDetails = z.infer<typeof projectDetails>;

/** A kept event with its place in the log. */
const loggedEvent = z.strictObject({ at: z.string(), event: eventSchema });
export type LoggedEvent = z.infer<typeof loggedEvent>;

const seriesSchema = z.strictObject({
  steps: z.array(z.number()),
  values: z.array(measured),
  /** Positions of the points on the requested axis; omitted: at their steps. */
  positions: z.array(z.number()).optional(),
});
export type Series = z.infer<typeof seriesSchema>;

/** A completion of one GRPO step. */
export const completionSchema = z.strictObject({
  step: z.int(),
  prompt: z.string(),
  completion: z.string(),
  reward: measured,
  advantage: measured,
});

/** A passage of the reward data with what the reward model says of it. */
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
  'projects.list': channel(nothing, z.strictObject({ projects: z.array(projectSummary) })),
  'projects.get': channel(z.strictObject({ id: projectId }), projectDetails),
  /** Adds a project folder that is there already. */
  'projects.open': channel(z.strictObject({ folder: fileHandle }), z.strictObject({ id: projectId })),
  'projects.rename': channel(z.strictObject({ id: projectId, name: z.string().min(1).max(200) }), nothing),
  /** In place of what was noted before; kept in the project's folder. May be done while it trains. */
  'projects.note': channel(z.strictObject({ id: projectId, notes: notesSchema }), nothing),
  /** Shows its folder in the system's file manager. Only where `app.info` says `electron`. */
  'projects.reveal': channel(z.strictObject({ id: projectId }), nothing),
  /** Puts it aside; `projects.restore` brings it back while the app runs, whose end empties what was put aside. */
  'projects.delete': channel(z.strictObject({ id: projectId }), z.strictObject({ undo: z.string() })),
  'projects.restore': channel(z.strictObject({ undo: z.string() }), z.strictObject({ id: projectId })),
  /** Those that can still be brought back, the last deleted first. */
  'projects.deleted': channel(
    nothing,
    z.strictObject({
      projects: z.array(
        z.strictObject({
          undo: z.string(),
          name: z.string(),
          /** Where it was and would be again, for display. */
          folder: z.string(),
          /** ISO 8601; null where it was not kept. */
          deleted: z.string().nullable(),
        }),
      ),
      /** Where they go in the end: to the system's trash, or away for good. */
      then: z.enum(['trash', 'gone']),
    }),
  ),
  /** Does now what the app's end would do. */
  'projects.empty': channel(nothing, nothing),
  'projects.export': channel(
    z.strictObject({ id: projectId, file: fileHandle }),
    z.strictObject({ bytes: z.number() }),
  ),
  /** Where another project can begin within a phase that runs or was stopped: the checkpoints of its base model, the newest first. */
  'projects.checkpoints': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(0) }),
    z.strictObject({
      checkpoints: z.array(z.strictObject({ model: z.string(), step: z.int(), best: z.boolean() })),
    }),
  ),
  /** Keeps one of them as a model of its own, for `drafts.create`. */
  'projects.keepCheckpoint': channel(
    z.strictObject({ id: projectId, model: z.string().max(80), step: z.int().min(0) }),
    z.strictObject({ model: z.string() }),
  ),
  /**
   * Exports the newest base model in a form that another program reads: a folder next to the project's, replacing an
   * earlier such export. A cancelled export leaves nothing.
   */
  'projects.exportModel': longChannel(
    z.strictObject({ id: projectId, format: z.enum(modelFormats), language: z.enum(languages) }),
    z.strictObject({ folder: fileInfo }),
    /** Bytes. */
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Saves results as one file to share; those of several projects side by side. */
  'projects.saveReport': channel(
    z.strictObject({
      ids: z.array(projectId).min(1).max(100),
      format: z.enum(runReportFormatNames),
      language: z.enum(languages),
      file: fileHandle,
    }),
    z.strictObject({ file: fileInfo, bytes: z.number() }),
  ),
  /** With what it was made: settings, versions, changes while it ran, a hash of its text. */
  'projects.circumstances': channel(z.strictObject({ id: projectId }), circumstancesSchema),
  'projects.import': channel(z.strictObject({ file: fileHandle }), z.strictObject({ id: projectId })),
  /** Makes the sample project and starts it. Begins from nothing, too, where the model is not on this machine. */
  'projects.sample': channel(
    z.strictObject({ begin: z.enum(['model', 'nothing']).default('model'), name: z.string().min(1).max(200) }),
    z.strictObject({ id: projectId }),
  ),
  /** The reports of finished cycles, in order. */
  'projects.reports': channel(
    z.strictObject({ id: projectId }),
    z.strictObject({
      reports: z.array(reportSchema),
      /** What the cycle that runs has come to so far, once its reward model is trained. */
      unfinished: unfinishedSchema.nullable(),
    }),
  ),
  /** The last so many, in order of time. */
  'projects.events': channel(
    z.strictObject({ id: projectId, count: page.count }),
    z.strictObject({ events: z.array(loggedEvent) }),
  ),
  /** Which series a phase of a cycle has, and how far they go. */
  'metrics.names': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(0), phase: z.enum(phaseNames) }),
    z.strictObject({ names: z.array(z.string()), last_step: z.int() }),
  ),
  /** A window of some series, at most `points` each, thinned so that extremes stay. `from` and `to` are places on the axis. */
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
      /** Rows that do not say where they lie on the axis, and are left out: of an earlier version, or of a phase that does not count it. */
      unplaced: z.int().min(0),
    }),
  ),
  /**
   * What the model wrote at each evaluation while it was trained, always after the same prompts; in order, `most` of them at
   * most; `around` a step: the last one at or before it, and those next to that.
   */
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
      /** Only those of this step, or of the last one before it that has any; left out: of all. */
      at: z.number().min(0).optional(),
      ...page,
    }),
    z.strictObject({ total: z.int(), rows: z.array(completionSchema) }),
  ),
  'rewardData.summary': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(1) }),
    z.strictObject({
      /** The quality report, line by line as `dataset_info` prints it, with a verdict each. */
      checks: z.array(z.strictObject({ label: z.string(), value: z.string(), ok: z.boolean() })),
      /** How many samples cross over in each of the bins of [0, 1]. */
      crossover_counts: z.array(z.int()),
    }),
  ),
  /** `worst`: where the reward model is most wrong, on the validation split. */
  'rewardData.examples': channel(
    z.strictObject({ id: projectId, cycle: z.int().min(1), order: z.enum(['first', 'worst']), ...page }),
    z.strictObject({ total: z.int(), rows: z.array(rewardExample) }),
  ),
};
