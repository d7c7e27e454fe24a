/** Renders the report as one HTML file: no script, no requests, charts as SVG, and its data as JSON at the end. */
import type { JudgingReport } from '../../../shared/judging-report.js';
import { alarmSentence, EVERYONE, verdictSentence, type Share } from '../../../shared/judging.js';
import type { Language } from '../../../shared/language.js';
import { formatCount, formatFixed, formatMeasure, formatShare, NOTHING } from '../../../shared/base/numbers.js';
import { artefactNames, capitalize } from '../../../shared/words/artefacts.js';
import { sharedWords } from '../../../shared/words/index.js';
import { intervalChart } from '../pages/charts.js';
import { formatDay } from '../pages/day.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';
import { ratingReportWords } from './words.js';

/** Formats figures and names in a language. */
function formatsIn(language: Language) {
  const words = ratingReportWords[language];
  const names = artefactNames(sharedWords[language], language);
  const count = (value: number) => formatCount(value, language);
  const percent = (value: number | null, digits = 0) =>
    value === null ? NOTHING : formatShare(value, language, digits);
  const range = (found: { readonly low: number; readonly high: number } | null) =>
    found === null ? NOTHING : words.range(percent(found.low), percent(found.high));
  return {
    words,
    language,
    count,
    percent,
    range,
    share: ({ yes, of, share, interval }: Share) =>
      share === null ? NOTHING : words.share(percent(share), count(yes), count(of), range(interval)),
    rater: (name: string) => (name === EVERYONE ? words.people : name),
    /** A version as a title, after other words, and quoted in a sentence. */
    title: (name: string) => (name === 'natural' ? capitalize(words.natural, language) : names.title(name)),
    following: (name: string) => (name === 'natural' ? words.natural : names.words(name)),
    quoted: (name: string) => (name === 'natural' ? words.natural : names.quoted(name)),
  };
}
type Formats = ReturnType<typeof formatsIn>;

export function reportPage(report: JudgingReport, language: Language): string {
  const { project, made_at, verisim, alarm, votes } = report;
  const formats = formatsIn(language);
  const { words, quoted, count } = formats;
  const parts = [comparisonParts, writingParts, boundaryParts, reliabilityParts].flatMap((partsOf) =>
    partsOf(report, formats),
  );
  const warning =
    alarm &&
    alarmSentence(alarm.alarm, quoted(alarm.newest), quoted(alarm.previous), sharedWords[language].judging.alarm);
  return page({
    language,
    title: words.title(project),
    made: `${formatDay(made_at, language)}, Verisim ${verisim}`,
    parts: [
      ...(warning === null ? [] : [html`<p class="alarm" role="note">${warning}</p>`]),
      ...(parts.length === 0 ? [html`<p>${words.nothing}</p>`] : parts),
      ...(votes.ignored === 0 ? [] : [html`<p class="soft">${words.ignored(count(votes.ignored))}</p>`]),
    ],
    data: JSON.stringify(report, null, 1),
  });
}

function comparisonParts({ comparisons }: JudgingReport, formats: Formats): Markup[] {
  if (comparisons.length === 0) return [];
  const { words, language, count, percent, range, title: titleOf, following, quoted } = formats;
  const { title, chart, chartHelp, help, columns } = words.comparisons;
  const label = (first: string, second: string) => words.against(titleOf(first), following(second));
  const verdicts = comparisons.map(({ first, second, comparison }) =>
    verdictSentence(
      comparison,
      { first: quoted(first), second: quoted(second) },
      sharedWords[language].judging.verdict,
      count,
    ),
  );
  const points = comparisons.map(({ first, second, comparison: { share, interval } }) => ({
    label: label(first, second),
    value: share,
    ...interval,
  }));
  const rows = comparisons.map(
    ({ first, second, comparison: { wins, losses, ties, both_bad, share, interval, e_value, decided_at } }) => {
      const evidence = formatMeasure(e_value, language);
      return [
        label(first, second),
        `${count(wins)} : ${count(losses)}`,
        `${count(ties)}, ${count(both_bad)}`,
        share === null ? NOTHING : `${percent(share)} (${range(interval)})`,
        decided_at === null ? evidence : words.decidedAt(evidence, count(decided_at)),
      ];
    },
  );
  return [
    html`<h2>${title}</h2>
      <ul class="said">
        ${verdicts.map((verdict) => html`<li>${verdict}</li>`)}
      </ul>
      <figure>
        ${intervalChart({ title: chart, rows: points, unit: chart, write: percent, line: 0.5, from: 0, to: 1 })}
        <figcaption>${chartHelp}</figcaption>
      </figure>`,
    table(help, columns, rows),
  ];
}

function writingParts({ writing }: JudgingReport, { words, title: titleOf, percent }: Formats): Markup[] {
  const { title, help, columns } = words.writing;
  const rows = writing
    .filter((row) => row.reward !== null || row.copied_share !== null)
    .map((row) => [
      titleOf(row.version),
      percent(row.reward, 1),
      percent(row.copied_share, 1),
      percent(row.distinct_2),
    ]);
  return rows.length === 0 ? [] : [html`<h2>${title}</h2>`, table(help, columns, rows)];
}

function boundaryParts({ boundary }: JudgingReport, { words, count, percent, share, rater }: Formats): Markup[] {
  if (boundary.length === 0) return [];
  const { title, help, columns } = words.boundary;
  const rows = boundary.map((row) => [
    ...[rater(row.rater), count(row.answers), percent(row.error, 1), percent(row.bias, 1)],
    ...[share(row.exact), percent(row.exact_by_chance, 1), row.again ? share(row.again.same) : NOTHING],
  ]);
  return [html`<h2>${title}</h2>`, table(help, columns, rows)];
}

function reliabilityParts({ reliability, votes }: JudgingReport, formats: Formats): Markup[] {
  if (reliability.length === 0) return [];
  const { words, language, count, share, rater } = formats;
  const { title, counted, help, columns } = words.reliability;
  const rows = reliability.map((row) => [
    ...[rater(row.rater), count(row.votes), formatFixed(row.seconds, 1, language)],
    ...[share(row.self_consistency), share(row.chose_first)],
  ]);
  return [
    html`<h2>${title}</h2>
      <p>${counted(count(votes.repeats), count(votes.again))}</p>`,
    table(help, columns, rows),
  ];
}
