/** The report as one HTML file that opens anywhere: no script, nothing from elsewhere, its charts drawn in it. */
import { chartsOf, phaseNames, phases, type PhaseName, type WholeChart } from '../../../shared/phases/index.js';
import { runReportSchema, type ReportedRun, type RunReport } from '../../../shared/run-report.js';
import { formatTick } from '../../../shared/numbers.js';
import { curveChart, type Curve } from '../pages/charts.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';
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

/** @param data the report as JSON, which the page is drawn from and holds. @throws ZodError for anything else */
export function runReportPage(data: string): string {
  const report = runReportSchema.parse(JSON.parse(data));
  const { runs } = report;
  const several = runs.length > 1;
  const parts = [
    ...(several ? [html`<h2>Beside each other</h2>`, ...drawn(overviewTable(report))] : []),
    ...(several ? drawn(differenceTable(report)) : runs.flatMap(verdictParts)),
    ...(several ? [] : runs.flatMap((run) => [...drawn(versionTable(run)), ...drawn(resultTable(run))])),
    ...chartParts(report),
    ...runs.flatMap((run) => [
      ...(several ? [html`<h2>${run.name}</h2>`, ...verdictParts(run)] : []),
      ...(several ? [...drawn(versionTable(run)), ...drawn(resultTable(run))] : []),
      ...sampleParts(run),
      ...(several ? [] : [html`<h2>Settings and circumstances</h2>`]),
      ...drawn(changeTable(run)),
      ...drawn(circumstancesTable(run)),
      html`<details>
        <summary>Settings of ${run.name}</summary>
        ${drawn(settingTable(run))}
      </details>`,
    ]),
  ];
  return page({ title: titleOf(report), made: madeOf(report), parts, data });
}

const drawn = (found: Table | null): readonly Markup[] =>
  found === null
    ? []
    : found.rows.length === 0
      ? [html`<p class="soft">${found.caption}</p>`]
      : [table(found.caption, found.heading, found.rows)];

function verdictParts({ verdict, kind }: ReportedRun): readonly Markup[] {
  if (verdict === null)
    return kind === 'project' ? [html`<p class="soft">Nothing is finished yet, so there is no verdict.</p>`] : [];
  const { sentences, another, control } = verdict;
  return [
    html`<p class="verdict">${sentences.join(' ')}</p>`,
    ...[another, control].filter((text) => text !== '').map((text) => html`<p>${text}</p>`),
  ];
}

function sampleParts({ reports }: ReportedRun): readonly Markup[] {
  const shown = [...new Set([reports[0], reports.at(-1)])].flatMap((report) =>
    report && report.samples.length > 0 ? [report] : [],
  );
  if (shown.length === 0) return [];
  return [
    html`<h3>What it writes</h3>
      <div class="samples">
        ${shown.map(
          ({ name, samples }) =>
            html`<div>
              <p class="soft">${name}</p>
              ${samples.map(({ prompt, completion }) => html`<blockquote><b>${prompt}</b>${completion}</blockquote>`)}
            </div>`,
        )}
      </div>`,
  ];
}

function chartParts({ runs }: RunReport): readonly Markup[] {
  const parts = phaseNames
    .filter((name) => !phases[name].perCycle)
    .flatMap((name) => {
      const charts = openCharts(runs, name).flatMap((chart) => chartPart(runs, name, chart) ?? []);
      return charts.length === 0
        ? []
        : [
            html`<h3>${phases[name].label}</h3>
              <div class="charts">${charts}</div>`,
          ];
    });
  return parts.length === 0 ? [] : [html`<h2>Charts</h2>`, ...parts];
}

/** Those that any of the runs would show, each once. */
function openCharts(runs: readonly ReportedRun[], phase: PhaseName): readonly WholeChart[] {
  const all = runs.flatMap(({ circumstances }) => chartsOf(phases[phase], circumstances.settings).open);
  return [...new Map(all.map((chart) => [chart.title, chart])).values()];
}

/** A line for each run, cycle and metric. Colours tell apart what there is most of: runs, else cycles, else metrics. */
function chartPart(runs: readonly ReportedRun[], phase: PhaseName, chart: WholeChart): Markup | null {
  const curves = runs.flatMap((run, at) =>
    run.metrics
      .filter((one) => one.phase === phase)
      .flatMap(({ cycle, series }, _, { length: cycles }) =>
        chart.lines.flatMap(({ metric, label }, which): Curve[] => {
          const found = series[metric];
          if (!found || found.values.every((value) => value === null)) return [];
          const names = [
            ...(runs.length > 1 ? [run.name] : []),
            ...(cycles > 1 ? [`cycle ${cycle}`] : []),
            ...(chart.lines.length > 1 || (runs.length === 1 && cycles === 1) ? [label] : []),
          ];
          const alone = cycles > 1 ? cycle : which;
          const colour = runs.length > 1 ? at : alone;
          const stroke = runs.length > 1 ? Math.floor(at / 6) + which : cycles > 1 ? which : 0;
          return [{ label: names.join(', '), ...found, colour, stroke }];
        }),
      ),
  );
  const drawing = curveChart({ title: chart.title, curves, write: (value) => formatTick(value, 'en') });
  if (drawing === null) return null;
  return html`<figure>
    <figcaption><b>${chart.title}</b>${chart.note === undefined ? '' : ` ${chart.note}`}</figcaption>
    ${drawing}
  </figure>`;
}
