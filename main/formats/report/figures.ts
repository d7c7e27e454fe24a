/** What a report says in figures, as rows of text: the same, to the last digit, as the window in English. */
import type { CycleReport } from '../../../shared/report.js';
import {
  changeInWords,
  differencesBetween,
  type Difference,
  type ReportedRun,
  type RunReport,
} from '../../../shared/run-report.js';
import { formatCount, formatMeasure, formatSetting, formatShare, NOTHING } from '../../../shared/numbers.js';

export interface Table {
  readonly caption: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const measure = (value: number | null | undefined, digits?: number): string =>
  formatMeasure(value, 'en', digits);
export const share = (value: number | null | undefined, decimals = 1): string => formatShare(value, 'en', decimals);
export const count = (value: number | null | undefined): string => formatCount(value, 'en');

export const titleOf = ({ runs }: RunReport): string =>
  runs.length === 1 ? `Report on ${runs[0]?.name ?? ''}` : `Report on ${runs.length} runs`;
export const madeOf = ({ made_at, verisim }: RunReport): string => `${made_at.slice(0, 10)}, Verisim ${verisim}`;

const heading = [
  ...[
    'version',
    'nats per character',
    'bits per byte',
    'perplexity',
    'reward, before → after',
    'R² of the reward model',
  ],
  ...['KL', 'judge: nats per token'],
];

const rowOf = (report: CycleReport): readonly string[] => [
  measure(report.nats_per_character, 4),
  measure(report.bits_per_byte, 4),
  measure(report.perplexity, 4),
  report.grpo ? `${share(report.grpo.reward_first)} → ${share(report.grpo.reward_last)}` : NOTHING,
  measure(report.reward_model?.r2),
  measure(report.grpo?.kl),
  measure(report.judgement?.generator.unconditional.mean),
];

/** What each version of a project came to; null of one that has none yet. */
export function versionTable({ reports }: ReportedRun): Table | null {
  if (reports.length === 0) return null;
  return {
    caption: 'Each version, on held-out text; lower is better of the first three.',
    heading,
    rows: reports.map((report) => [report.name, ...rowOf(report)]),
  };
}

/** Each run's newest version beside the others'. */
export function overviewTable({ runs }: RunReport): Table {
  return {
    caption: 'The newest version of each, on held-out text.',
    heading: ['run', ...heading],
    rows: runs.map((run) => {
      const newest = run.reports.at(-1);
      return newest
        ? [run.name, newest.name, ...rowOf(newest)]
        : [run.name, run.command ?? NOTHING, ...resultRow(run.results)];
    }),
  };
}

const figureOf = (results: ReportedRun['results'], name: string): number | null => {
  const value = results?.[name];
  return typeof value === 'number' ? value : null;
};

const resultRow = (results: ReportedRun['results']): readonly string[] => [
  measure(figureOf(results, 'nats_per_character'), 4),
  measure(figureOf(results, 'bits_per_byte'), 4),
  measure(figureOf(results, 'perplexity'), 4),
  ...[NOTHING, NOTHING, NOTHING, NOTHING],
];

/** The figures that a single command reported. */
export function resultTable({ results, command }: ReportedRun): Table | null {
  const rows = Object.entries(results ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, measure(value, 4)]] : [],
  );
  return rows.length === 0
    ? null
    : { caption: `What ${command ?? 'it'} reported.`, heading: ['figure', 'value'], rows };
}

export const settingTable = ({ circumstances: { settings } }: ReportedRun): Table => ({
  caption: 'Every setting.',
  heading: ['setting', 'value'],
  rows: Object.entries(settings)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, cell(value)]),
});

export function changeTable({ circumstances: { changes } }: ReportedRun): Table | null {
  if (changes.length === 0) return null;
  return {
    caption: 'What was changed while it ran.',
    heading: ['where', 'what'],
    rows: changes.map((change) => [
      change.cycle === 0 ? change.phase : `${change.phase} of cycle ${change.cycle}`,
      changeInWords(change),
    ]),
  };
}

export function circumstancesTable({ circumstances: { environments, data, verisim } }: ReportedRun): Table {
  const worked = environments.map(({ at, processor, ...one }) => [
    at.slice(0, 10),
    `Verisim ${one.verisim}, ${one.runtime}, ${one.device}, ${one.precision}, ${count(one.threads)} threads, ${processor}`,
  ]);
  return {
    caption: 'Versions, machine and text. The same seed gives the same bytes where these are the same.',
    heading: ['what', 'which'],
    rows: [
      ...(worked.length === 0 ? [['made by', `Verisim ${verisim ?? NOTHING}`]] : worked),
      ...data.map(({ file, bytes, sha256 }) => [file, `${count(bytes)} bytes, SHA-256 ${sha256}`]),
    ],
  };
}

/** What the runs do not have in common; null for one run alone. */
export function differenceTable({ runs }: RunReport): Table | null {
  if (runs.length < 2) return null;
  const differences = differencesBetween(runs.map(({ circumstances }) => circumstances));
  return {
    caption:
      differences.length === 0
        ? 'The runs have the same settings, versions and text, and nothing was changed while they ran.'
        : 'What differs: settings, changes while they ran, versions and machines, the prepared text (SHA-256).',
    heading: ['what', ...runs.map(({ name }) => name)],
    rows: differences.map(({ key, kind, values }) => [wordOf(kind, key), ...values.map(cell)]),
  };
}

const wordOf = (kind: Difference['kind'], key: string): string => (kind === 'change' ? `changed in ${key}` : key);

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  return typeof value === 'object' ? JSON.stringify(value) : formatSetting(value, 'en');
}
