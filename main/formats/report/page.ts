/** The report as one HTML file that opens anywhere: no script, nothing from elsewhere, its charts drawn in it. */
import type { MessageCode } from '../../../shared/messages/message.js';
import {
  chartsOf,
  chartsTogether,
  phaseNames,
  phases,
  type PhaseName,
  type WholeChart,
} from '../../../shared/phases/index.js';
import { runReportSchema, type ReportedRun, type RunReport } from '../../../shared/reports/run-report.js';
import { shownSamples, type ShownSamples } from '../../../shared/reports/outcome.js';
import { formatTick } from '../../../shared/base/numbers.js';
import { curveChart, type Curve } from '../pages/charts.js';
import { documentFormat } from '../pages/document.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';
import { figuresIn, type Figures, type Table } from './figures.js';

/** @param data the report as JSON, which the page shows and contains. @throws ZodError for anything else */
export function runReportPage(data: string): string {
  const report = runReportSchema.parse(JSON.parse(data));
  const { runs, language } = report;
  const figures = figuresIn(language);
  const { t } = figures;
  const several = runs.length > 1;
  const parts = [
    ...(several ? [html`<h2>${t('report.together')}</h2>`, ...drawn(figures.overviewTable(report))] : []),
    ...(several ? drawn(figures.differenceTable(report)) : []),
    ...runs.flatMap((run) => [
      ...(several ? [html`<h2>${run.name}</h2>`] : []),
      ...verdictParts(run, figures),
      ...drawn(figures.versionTable(run)),
      ...drawn(figures.resultTable(run)),
    ]),
    ...chartParts(report, figures),
    html`<h2>${t('report.circumstances')}</h2>`,
    ...runs.flatMap((run) => [
      ...(several ? [html`<h3>${run.name}</h3>`] : []),
      ...drawn(figures.changeTable(run)),
      ...drawn(figures.circumstancesTable(run)),
      html`<details>
        <summary>${t('report.settingsOf', { run: run.name })}</summary>
        ${drawn(figures.settingTable(run))}
      </details>`,
    ]),
  ];
  return page({ language, title: figures.titleOf(report), made: figures.madeOf(report), parts, data });
}

const drawn = (found: Table | null): readonly Markup[] =>
  found === null
    ? []
    : found.rows.length === 0
      ? [html`<p class="soft">${found.caption}</p>`]
      : [table(found.caption, found.heading, found.rows)];

function verdictParts(run: ReportedRun, figures: Figures): readonly Markup[] {
  const { verdict, kind } = run;
  if (verdict === null) return kind === 'project' ? [html`<p class="soft">${figures.t('report.noVerdict')}</p>`] : [];
  const { sentences, another, control } = verdict;
  const [first = '', ...others] = sentences;
  return [
    html`<p class="verdict">${first}</p>`,
    ...sampleParts(run, figures),
    ...[others.join(' '), another, control].filter((text) => text !== '').map((text) => html`<p>${text}</p>`),
  ];
}

/** A row for each opening. */
function sampleParts({ reports }: ReportedRun, { t, versionTitle }: Figures): readonly Markup[] {
  const shown = shownSamples(reports);
  if (shown.length === 0) return [];
  const title = ({ by, name }: ShownSamples) => {
    if (by === 'before') return t('project.outcome.before');
    return by === 'text' ? t('report.text') : versionTitle(name);
  };
  return [
    html`<h3>${t('report.writes')}</h3>`,
    ...(shown[0]?.samples ?? []).map(
      (_, at) =>
        html`<div class="samples">
          ${shown.map((one) => {
            const { prompt = '', completion = '' } = one.samples[at] ?? {};
            return html`<div>
              <p class="soft">${title(one)}</p>
              <blockquote><b>${prompt}</b>${completion}</blockquote>
            </div>`;
          })}
        </div>`,
    ),
  ];
}

function chartParts({ runs, language }: RunReport, { t }: Figures): readonly Markup[] {
  const parts = phaseNames
    .filter((name) => !phases[name].perCycle)
    .flatMap((name) => {
      const charts = openCharts(runs, name).flatMap((chart) => chartPart({ runs, language }, name, chart) ?? []);
      return charts.length === 0
        ? []
        : [
            html`<h3>${t(phases[name].label)}</h3>
              <div class="charts">${charts}</div>`,
          ];
    });
  return parts.length === 0 ? [] : [html`<h2>${t('report.charts')}</h2>`, ...parts];
}

function openCharts(runs: readonly ReportedRun[], phase: PhaseName): readonly WholeChart<MessageCode>[] {
  return chartsTogether(
    runs.map(({ circumstances }, at) => ({
      project: String(at),
      charts: chartsOf(phases[phase], circumstances.settings).open,
    })),
  );
}

/** A line for each run, cycle and metric. Colours distinguish runs, else cycles, else metrics. */
function chartPart(
  { runs, language }: Pick<RunReport, 'runs' | 'language'>,
  phase: PhaseName,
  chart: WholeChart<MessageCode>,
): Markup | null {
  const t = documentFormat(language);
  const curves = runs.flatMap((run, at) =>
    run.metrics
      .filter((one) => one.phase === phase)
      .flatMap(({ cycle, series }, _, { length: cycles }) =>
        chart.lines.flatMap((line, which): Curve[] => {
          const found = line.projects?.includes(String(at)) ? series[line.metric] : undefined;
          if (!found || found.values.every((value) => value === null)) return [];
          const names = [
            ...(runs.length > 1 ? [run.name] : []),
            ...(cycles > 1 ? [t('report.cycle', { cycle })] : []),
            ...(chart.lines.length > 1 || (runs.length === 1 && cycles === 1) ? [t(line.label)] : []),
          ];
          const alone = cycles > 1 ? cycle : which;
          const colour = runs.length > 1 ? at : alone;
          const stroke = runs.length > 1 ? Math.floor(at / 6) + which : cycles > 1 ? which : 0;
          return [{ label: names.join(', '), ...found, colour, stroke }];
        }),
      ),
  );
  const title = t(chart.title);
  const drawing = curveChart({ title, curves, write: (value) => formatTick(value, language) });
  if (drawing === null) return null;
  return html`<figure>
    <figcaption><b>${title}</b>${chart.note === undefined ? '' : ` ${t(chart.note)}`}</figcaption>
    ${drawing}
  </figure>`;
}
