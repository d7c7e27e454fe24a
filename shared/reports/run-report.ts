/**
 * What projects and runs came to, as data that travels: the report's JSON, which its page and its rows are made
 * from. main/jobs/report makes it.
 */
import { z } from 'zod';
import { measured } from '../base/measured.js';
import { phaseNames, type PhaseName } from '../phases/index.js';
import { endReasons, reportSchema } from './report.js';
import { localized, type Message } from '../messages/message.js';

const seriesSchema = z.strictObject({ steps: z.array(z.number()).readonly(), values: z.array(measured).readonly() });

/** The versions and the hardware that a run's bytes depend on. */
export const environmentSchema = z.object({
  verisim: z.string(),
  /** What computes, with its version: "tensorflow 2.21.0". */
  runtime: z.string(),
  device: z.string(),
  /** Of matrix products: f32, bf16 or auto. */
  precision: z.string(),
  /** The processor's model and which vector instructions it has, which decide the order of additions. */
  processor: z.string(),
  threads: z.int(),
});

/** With which versions, and on what, a run was worked on; one entry each time something of it changed. `at`: ISO 8601. */
const environmentEntry = z.strictObject({ at: z.string(), ...environmentSchema.shape });

/** What a person changed while it ran, and where that took effect. */
const changeSchema = z.strictObject({
  cycle: z.int().min(0),
  phase: z.enum(phaseNames),
  step: z.int().min(0),
  settings: z.record(z.string(), z.unknown()),
  /** Steps that were added. */
  iterations: z.int(),
  /** Its phase was ended there. */
  skip: z.boolean(),
});

/** What a run was made with: all by which two may differ. */
export const circumstancesSchema = z.strictObject({
  /** The Verisim that made it; null where that was not noted. */
  verisim: z.string().nullable(),
  /** Of files their names alone, not where they lie. */
  settings: z.record(z.string(), z.unknown()),
  environments: z.array(environmentEntry).readonly(),
  changes: z.array(changeSchema).readonly(),
  /** The prepared text: bytes and SHA-256 of each file. */
  data: z.array(z.strictObject({ file: z.string(), bytes: z.number(), sha256: z.string() })).readonly(),
});
export type Circumstances = Readonly<z.infer<typeof circumstancesSchema>>;

const runSchema = z
  .strictObject({
    name: z.string(),
    /** A project of cycles, or what a single command made. */
    kind: z.enum(['project', 'run']),
    /** Which; null of a project. */
    command: z.string().nullable(),
    circumstances: circumstancesSchema.readonly(),
    ended: z.enum(endReasons).nullable(),
    /** Sentences by the rules and with the figures of the window; null without results. */
    verdict: z
      .strictObject({ sentences: z.array(z.string()).readonly(), another: z.string(), control: z.string() })
      .readonly()
      .nullable(),
    /** Of its cycles, in order; empty of a run. */
    reports: z.array(reportSchema).readonly(),
    /** What a run came to, as its command reports it; null of a project, and of a run that is not over. */
    results: z.record(z.string(), z.unknown()).nullable(),
    /** What the charts show, thinned so that extremes stay. */
    metrics: z
      .array(
        z
          .strictObject({
            cycle: z.int().min(0),
            phase: z.enum(phaseNames),
            last_step: z.int(),
            series: z.record(z.string(), seriesSchema),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
export type ReportedRun = z.infer<typeof runSchema>;

export const runReportSchema = z
  .strictObject({
    format: z.literal('verisim-report'),
    format_version: z.literal(1),
    /** ISO 8601. */
    made_at: z.string(),
    /** What its sentences are in. */
    language: z.string().default('en'),
    /** The version of the program that wrote the report. */
    verisim: z.string(),
    runs: z.array(runSchema).readonly(),
  })
  .readonly();
export type RunReport = z.infer<typeof runReportSchema>;

/** What a report is written as, and how its file's name ends. */
export const runReportFormats = {
  html: 'report.html',
  json: 'report.json',
  csv: 'metrics.csv',
} as const;
export type RunReportFormat = keyof typeof runReportFormats;
export const runReportFormatNames = Object.keys(runReportFormats) as [RunReportFormat, ...RunReportFormat[]];

/** One thing by which runs differ, with what it is in each of them; empty where a run does not have it. */
export interface Difference {
  readonly kind: 'setting' | 'change' | 'version' | 'data';
  /** The setting's key; of anything else a name for it. */
  readonly key: string;
  readonly values: readonly unknown[];
  /** Of a change: where it took effect. */
  readonly place?: { readonly cycle: number; readonly phase: PhaseName };
}

/**
 * By what runs differ: settings, what was changed while they ran, versions and machines, the prepared text.
 * @param inWords a change as the surface words it; without it, as it is compared
 */
export function differencesBetween(
  runs: readonly Circumstances[],
  inWords: (change: PlacedChange) => string = (change) => JSON.stringify(change),
): readonly Difference[] {
  const rows: Difference[] = [
    ...keysOf(runs.map(({ settings }) => settings)).map((key): Difference => ({
      kind: 'setting',
      key,
      values: runs.map((run) => (key !== 'vocab_size' || isPrepared(run) ? (run.settings[key] ?? null) : null)),
    })),
    ...placesOf(runs).map(([key, { cycle, phase }]): Difference => ({
      kind: 'change',
      key,
      place: { cycle, phase },
      values: runs.map(({ changes }) =>
        changes
          .filter((change) => placeOf(change) === key)
          .map((change) => inWords(change))
          .join('; '),
      ),
    })),
    { kind: 'version', key: 'verisim', values: runs.map((run) => run.environments.at(-1)?.verisim ?? run.verisim) },
    ...(['runtime', 'device', 'precision', 'processor', 'threads'] as const).map((key): Difference => ({
      kind: 'version',
      key,
      values: runs.map(({ environments }) => [...new Set(environments.map((one) => String(one[key])))].join(' → ')),
    })),
    ...[...new Set(runs.flatMap(({ data }) => data.map(({ file }) => file)))].map((file): Difference => ({
      kind: 'data',
      key: file,
      values: runs.map(({ data }) => data.find((one) => one.file === file)?.sha256.slice(0, 12) ?? ''),
    })),
  ];
  return rows.filter(({ kind, key, values }) => {
    const isFoundOut = kind === 'data' || (kind === 'version' && key !== 'verisim') || key === 'vocab_size';
    const known = isFoundOut ? values.filter((_, at) => runs.slice(at, at + 1).some(isPrepared)) : values;
    return new Set(known.map((value) => JSON.stringify(value))).size > 1;
  });
}

/** Reports whether its text became tokens and its environment is recorded: earlier, missing facts are no difference. */
const isPrepared = ({ data, environments }: Circumstances): boolean => data.length > 0 || environments.length > 0;

export type PlacedChange = Circumstances['changes'][number];
const placeOf = ({ cycle, phase }: PlacedChange): string => (cycle === 0 ? phase : `${phase}/${cycle}`);
const placesOf = (runs: readonly Circumstances[]) => [
  ...new Map(runs.flatMap(({ changes }) => changes.map((change) => [placeOf(change), change] as const))),
];
const keysOf = (all: readonly Readonly<Record<string, unknown>>[]) => [
  ...new Set(all.flatMap((settings) => Object.keys(settings))),
];

/** "Step 120: “Learning rate: 0.0003”" */
export function changeMessage({ settings, iterations, skip, step }: PlacedChange): Message {
  const parts = Object.entries(settings).map(([key, value]) =>
    localized('difference.setting', { key, value: typeof value === 'number' ? value : String(value) }),
  );
  if (iterations > 0) parts.push(localized('difference.longer', { steps: iterations }));
  if (skip) parts.push(localized('difference.ended'));
  return localized('difference.at', { step, parts });
}
