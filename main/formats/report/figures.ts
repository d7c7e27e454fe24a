/** Formats a report's figures as rows of text, to the same digit as the window in its language. */
import type { Language } from '../../../shared/messages/catalogue.js';
import { formatCount, formatMeasure, formatSetting, formatShare, NOTHING } from '../../../shared/base/numbers.js';
import { projectShape } from '../../../shared/config/index.js';
import { phases, type PhaseName } from '../../../shared/phases/index.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import {
  changeMessage,
  differencesBetween,
  type Difference,
  type PlacedChange,
  type ReportedRun,
  type RunReport,
} from '../../../shared/reports/run-report.js';
import { hasCode } from '../../../shared/messages/catalogue.js';
import { artefactNames } from '../../../shared/phases/artefacts.js';
import { isSetting, settingLabelIn, settingValueIn } from '../../../shared/config/setting-texts.js';
import { documentFormat, formatDay } from '../pages/document.js';

export interface Table {
  readonly caption: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Formats values in the report's language. */
function writingIn(language: Language) {
  const t = documentFormat(language);
  const count = (value: number | null | undefined) => formatCount(value, language);
  const cell = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return NOTHING;
    return typeof value === 'object' ? JSON.stringify(value) : formatSetting(value, language);
  };
  const settingLabel = (key: string) => settingLabelIn(key, t);
  const settingValue = (key: string, value: unknown) =>
    value === null || value === undefined || value === '' ? NOTHING : settingValueIn(key, value, t, cell);
  return {
    t,
    count,
    cell,
    settingLabel,
    settingValue,
    versionTitle: artefactNames(t).title,
    measure: (value: number | null | undefined, digits?: number) => formatMeasure(value, language, digits),
    share: (value: number | null | undefined) => formatShare(value, language, 1),
    day: (moment: string) => formatDay(moment, language),
    place({ cycle, phase }: { readonly cycle: number; readonly phase: PhaseName }): string {
      const label = t(phases[phase].label);
      return cycle === 0 ? label : t('report.place', { phase: label, cycle });
    },
    changed: (change: PlacedChange) => t(changeMessage(change)),
  };
}
type Writing = ReturnType<typeof writingIn>;

export function figuresIn(language: Language) {
  const writing = writingIn(language);
  const { t, day, versionTitle } = writing;
  return {
    t,
    versionTitle,
    titleOf: ({ runs }: RunReport): string =>
      runs.length === 1
        ? t('report.title', { run: runs[0]?.name ?? '' })
        : t('report.titleOfSeveral', { runs: runs.length }),
    madeOf: ({ made_at, verisim }: RunReport): string => `${day(made_at)}, Verisim ${verisim}`,
    ...resultTables(writing),
    ...circumstanceTables(writing),
  };
}
export type Figures = ReturnType<typeof figuresIn>;

function resultTables({ t, measure, share, versionTitle }: Writing) {
  const losses = ['natsPerCharacter', 'bitsPerByte', 'perplexity'] as const;
  const heading = (['version', ...losses, 'reward', 'rewardModel', 'kl', 'judge'] as const).map((column) =>
    t(`report.columns.${column}`),
  );
  const rowOf = (report: CycleReport): readonly string[] => [
    measure(report.nats_per_character, 4),
    measure(report.bits_per_byte, 4),
    measure(report.perplexity, 4),
    report.grpo ? `${share(report.grpo.reward_first)} → ${share(report.grpo.reward_last)}` : NOTHING,
    measure(report.reward_model?.r2),
    measure(report.grpo?.kl),
    measure(report.judgement?.generator.unconditional.mean),
  ];
  const resultRow = (results: ReportedRun['results']): readonly string[] => [
    ...['nats_per_character', 'bits_per_byte', 'perplexity'].map((name) => measure(figureOf(results, name), 4)),
    ...[NOTHING, NOTHING, NOTHING, NOTHING],
  ];
  return {
    /** Each version's results; null if there is no version yet. */
    versionTable: ({ reports }: ReportedRun): Table | null =>
      reports.length === 0
        ? null
        : {
            caption: t('report.captions.versions'),
            heading,
            rows: reports.map((report) => [versionTitle(report.name), ...rowOf(report)]),
          },

    overviewTable: ({ runs }: RunReport): Table => ({
      caption: t('report.captions.overview'),
      heading: [t('report.columns.run'), ...heading],
      rows: runs.map((run) => {
        const newest = run.reports.at(-1);
        return newest
          ? [run.name, versionTitle(newest.name), ...rowOf(newest)]
          : [run.name, run.command ?? NOTHING, ...resultRow(run.results)];
      }),
    }),

    resultTable({ results, command }: ReportedRun): Table | null {
      const rows = Object.entries(results ?? {}).flatMap(([name, value]) =>
        typeof value === 'number' ? [[name, measure(value, 4)]] : [],
      );
      return rows.length === 0
        ? null
        : {
            caption: t('report.captions.results', { command }),
            heading: [t('report.columns.figure'), t('report.columns.value')],
            rows,
          };
    },
  };
}

const figureOf = (results: ReportedRun['results'], name: string): number | null => {
  const value = results?.[name];
  return typeof value === 'number' ? value : null;
};

/** A setting's key, with the choice if that has a name of its own. */
const keyWithChoice = (key: string, value: unknown): string =>
  typeof value === 'string' && hasCode(`setting.${key}.choices.${value}`) ? `${key}=${value}` : key;

function circumstanceTables({ t, cell, settingLabel, settingValue, ...writing }: Writing) {
  const { day, place, changed } = writing;
  const differing = ({ kind, key, place: where }: Difference): string => {
    if (kind === 'change') return t('difference.change', { phase: where ? place(where) : key });
    if (kind === 'setting') return settingLabel(key);
    if (kind === 'data') return t('difference.data', { file: key });
    const code = `difference.version.${key}`;
    return hasCode(code) ? t(code) : key;
  };
  return {
    settingTable: ({ circumstances: { settings } }: ReportedRun): Table => ({
      caption: t('report.captions.settings'),
      heading: [t('report.columns.setting'), t('report.columns.value'), t('report.columns.key')],
      // In the order of forms; removed settings come last.
      rows: [...Object.keys(projectShape), ...Object.keys(settings).filter((key) => !isSetting(key))]
        .filter((key) => key in settings)
        .map((key) => [settingLabel(key), settingValue(key, settings[key]), keyWithChoice(key, settings[key])]),
    }),

    changeTable: ({ circumstances: { changes } }: ReportedRun): Table | null =>
      changes.length === 0
        ? null
        : {
            caption: t('report.captions.changes'),
            heading: [t('report.columns.where'), t('report.columns.what')],
            rows: changes.map((change) => [place(change), changed(change)]),
          },

    circumstancesTable({ circumstances: { environments, data, verisim } }: ReportedRun): Table {
      const worked = environments.map(({ at, processor, ...one }) => [
        day(at),
        `Verisim ${one.verisim}, ${one.runtime}, ${one.device}, ${one.precision}, ${t('report.threads', { count: one.threads })}, ${processor}`,
      ]);
      return {
        caption: t('report.captions.circumstances'),
        heading: [t('report.columns.what'), t('report.columns.value')],
        rows: [
          ...(worked.length === 0 ? [[t('report.madeBy'), `Verisim ${verisim ?? NOTHING}`]] : worked),
          ...data.map(({ file, bytes, sha256 }) => [file, `${t('report.bytes', { count: bytes })}, SHA-256 ${sha256}`]),
        ],
      };
    },

    differenceTable({ runs }: RunReport): Table | null {
      if (runs.length < 2) return null;
      const found = differencesBetween(
        runs.map(({ circumstances }) => circumstances),
        changed,
      );
      return {
        caption: found.length === 0 ? t('report.captions.same') : t('report.captions.differences'),
        heading: [t('report.columns.what'), ...runs.map(({ name }) => name)],
        rows: found.map((one) => [
          differing(one),
          ...one.values.map((value) => (one.kind === 'setting' ? settingValue(one.key, value) : cell(value))),
        ]),
      };
    },
  };
}
