/** The report as Markdown (CommonMark with GitHub's tables): what its page says, without the charts. */
import type { ReportedRun, RunReport } from '../../../shared/run-report.js';
import {
  changeTable,
  circumstancesTable,
  differenceTable,
  madeOf,
  overviewTable,
  resultTable,
  settingTable,
  titleOf,
  versionTable,
  type Table,
} from './figures.js';

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
  const { runs } = report;
  const lines = [
    `# ${plain(titleOf(report))}`,
    '',
    madeOf(report),
    '',
    ...(runs.length > 1 ? [...table(overviewTable(report)), ...table(differenceTable(report))] : []),
    ...runs.flatMap((run) => runLines(run, runs.length > 1)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function runLines(run: ReportedRun, isNamed: boolean): readonly string[] {
  const { verdict } = run;
  const samples = run.reports.at(-1)?.samples ?? [];
  return [
    ...(isNamed ? [`## ${plain(run.name)}`, ''] : []),
    ...(verdict
      ? [verdict.sentences.join(' '), verdict.another, verdict.control]
          .filter((text) => text !== '')
          .flatMap((text) => [plain(text), ''])
      : []),
    ...table(versionTable(run)),
    ...table(resultTable(run)),
    ...(samples.length === 0 ? [] : [`**What ${plain(run.reports.at(-1)?.name ?? '')} writes**`, '']),
    ...samples.flatMap(({ prompt, completion }) => [quoted(prompt + completion), '']),
    ...table(changeTable(run)),
    ...table(circumstancesTable(run)),
    ...table(settingTable(run)),
  ];
}
