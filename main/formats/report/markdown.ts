/** The report as Markdown (CommonMark with GitHub's tables): what its page says, without the charts. */
import type { ReportedRun, RunReport } from '../../../shared/run-report.js';
import { figuresIn, type Figures, type Table } from './figures.js';

/** Nothing of a name or a sample becomes markup. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&').replace(/\r?\n/g, ' ');

const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
const table = (found: Table | null): readonly string[] =>
  found === null
    ? []
    : [
        plain(found.caption),
        '',
        ...(found.rows.length === 0
          ? []
          : [line(found.heading), `|${' --- |'.repeat(found.heading.length)}`, ...found.rows.map(line), '']),
      ];
const quoted = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((row) => `> ${plain(row)}`)
    .join('\n');

export function reportMarkdown(report: RunReport): string {
  const { runs, language } = report;
  const figures = figuresIn(language);
  const lines = [
    `# ${plain(figures.titleOf(report))}`,
    '',
    figures.madeOf(report),
    '',
    ...(runs.length > 1 ? [...table(figures.overviewTable(report)), ...table(figures.differenceTable(report))] : []),
    ...runs.flatMap((run) => runLines(run, figures, runs.length > 1)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function runLines(run: ReportedRun, figures: Figures, isNamed: boolean): readonly string[] {
  const { verdict } = run;
  const samples = run.reports.at(-1)?.samples ?? [];
  return [
    ...(isNamed ? [`## ${plain(run.name)}`, ''] : []),
    ...(verdict
      ? [verdict.sentences.join(' '), verdict.another, verdict.control]
          .filter((text) => text !== '')
          .flatMap((text) => [plain(text), ''])
      : []),
    ...table(figures.versionTable(run)),
    ...table(figures.resultTable(run)),
    ...(samples.length === 0
      ? []
      : [`**${plain(figures.words.writesOf(figures.versionWords(run.reports.at(-1)?.name ?? '')))}**`, '']),
    ...samples.flatMap(({ prompt, completion }) => [quoted(prompt + completion), '']),
    ...table(figures.changeTable(run)),
    ...table(figures.circumstancesTable(run)),
    ...table(figures.settingTable(run)),
  ];
}
