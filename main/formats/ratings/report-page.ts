/**
 * The report as one HTML file that opens anywhere: no script, nothing from elsewhere (its policy forbids both), charts drawn in
 * it, and the data it was made from at its end.
 */
import type { JudgingReport } from '../../../shared/judging-report.js';
import type { Language } from '../../../shared/language.js';
import { alarmSentence, verdictSentence, type Comparison } from '../../../shared/judging.js';
import { formatMeasure } from '../../../shared/base/numbers.js';
import { sharedWords } from '../../../shared/words/index.js';
import { intervalChart } from '../pages/charts.js';
import { formatDay } from '../pages/day.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';
import { figuresIn, type Figures } from './figures.js';

const figure = (chart: Markup, caption: string): Markup =>
  html`<figure>
    ${chart}
    <figcaption>${caption}</figcaption>
  </figure>`;

/** One self-contained page. The data stands in it as JSON, escaped, for whoever wants the figures. */
export function reportPage(report: JudgingReport): string {
  const { project, made_at, verisim, alarm, methods, language } = report;
  const figures = figuresIn(language);
  const { words, quoted } = figures;
  const parts = [comparisonParts, ratingParts, writingParts, boundaryParts, singleParts, trustParts].flatMap(
    (partsOf) => partsOf(report, figures),
  );
  const said = sharedWords[language].judging.alarm;
  return page({
    language,
    title: words.title(project),
    made: `${formatDay(made_at, language)}, Verisim ${verisim}`,
    parts: [
      ...(alarm === null
        ? []
        : [
            html`<p class="alarm" role="note">
              ${alarmSentence(alarm.alarm, quoted(alarm.newest), quoted(alarm.previous), said)}
            </p>`,
          ]),
      ...(parts.length === 0 ? [html`<p>${words.nothing}</p>`] : parts),
      ...(methods === ''
        ? []
        : [
            html`<h2>${words.methods.title}</h2>
              <p>${methods}</p>`,
          ]),
    ],
    data: JSON.stringify(report, null, 1),
  });
}

/** What is known of the writing beside what people prefer. */
function copied({ writing }: JudgingReport, version: string, { orDash, percent }: Figures): string {
  const found = writing.find((row) => row.version === version);
  return `${orDash(found?.copied_share ?? null, (share) => percent(share, 1))}; ${orDash(found?.distinct_2 ?? null, percent)}`;
}

/** What it is now; a decision stays, also where later votes took some of it back. */
function evidenceInWords({ e_value, decided_at }: Comparison, language: Language, { words, count }: Figures): string {
  const now = formatMeasure(e_value, language);
  return decided_at === null ? now : words.decidedAt(now, count(decided_at));
}

function comparisonParts(report: JudgingReport, figures: Figures): Markup[] {
  const { comparisons, language } = report;
  if (comparisons.length === 0) return [];
  const { words, title: titleOf, following, quoted, count, percent, preference } = figures;
  const { title, chart: unit, chartHelp, help, columns } = words.comparisons;
  const said = sharedWords[language].judging.verdict;
  const named = comparisons.map((one) => ({
    ...one,
    names: { first: quoted(one.first), second: quoted(one.second) },
    label: words.against(titleOf(one.first), following(one.second)),
  }));
  const rows = named.map(({ label, comparison: { share, interval } }) => ({
    label,
    value: share,
    ...interval,
  }));
  const cells = named.map(({ first, second, label, comparison, preference: preferred }) => [
    label,
    `${count(comparison.wins)} : ${count(comparison.losses)}`,
    `${count(comparison.ties)}, ${count(comparison.both_bad)}`,
    evidenceInWords(comparison, language, figures),
    preference(preferred.without),
    preference(preferred.with),
    copied(report, first, figures),
    copied(report, second, figures),
  ]);
  return [
    html`<h2>${title}</h2>
      <ul class="said">
        ${named.map(({ names, comparison }) => html`<li>${verdictSentence(comparison, names, said, count)}</li>`)}
      </ul>`,
    figure(intervalChart({ title: unit, rows, unit, write: percent, line: 0.5, from: 0, to: 1 }), chartHelp),
    table(help, columns, cells),
  ];
}

function ratingParts({ ratings, versions }: JudgingReport, figures: Figures): Markup[] {
  if (ratings === null) return [];
  const { title, quoted, count, percent, points } = figures;
  const words = figures.words.ratings;
  const { against, flips, tie_share } = ratings;
  // In the order of the cycles, so that one sees where it goes.
  const rows = versions.flatMap((name) => {
    const found = ratings.versions.find(({ version }) => version === name);
    return found ? [{ label: title(name), value: found.rating, low: found.low, high: found.high }] : [];
  });
  const unit = words.unit(against === null ? words.mean : quoted(against));
  return [
    html`<h2>${words.title}</h2>`,
    figure(
      intervalChart({ title: words.chart, rows, unit, write: points, line: 0 }),
      [words.help, ...(tie_share === null ? [] : [words.ties(percent(tie_share))])].join(' '),
    ),
    html`<ul class="said">
      ${flips.map(({ above, below, votes }) => html`<li>${votes === null ? words.flipOfThousands(quoted(below), quoted(above)) : words.flip(quoted(below), quoted(above), count(votes), votes === 1)}</li>`)}
    </ul>`,
  ];
}

function writingParts({ writing, ratings }: JudgingReport, figures: Figures): Markup[] {
  if (writing.length === 0) return [];
  const { title, orDash, percent, points, range } = figures;
  const words = figures.words.writing;
  const tenths = (value: number) => percent(value, 1);
  const rows = writing.map(({ version, reward, reward_interval, copied_share, distinct_2 }) => [
    title(version),
    `${orDash(reward, tenths)}${reward_interval === null ? '' : ` (${range(reward_interval, tenths)})`}`,
    orDash(ratings?.versions.find((row) => row.version === version)?.rating ?? null, points),
    orDash(copied_share, tenths),
    orDash(distinct_2, percent),
  ]);
  return [html`<h2>${words.title}</h2>`, table(words.help, words.columns, rows)];
}

function boundaryParts({ boundary }: JudgingReport, figures: Figures): Markup[] {
  if (boundary.length === 0) return [];
  const { title: titleOf, count, fixed, orDash, percent, share } = figures;
  const { title, chart, unit, chartHelp, help, columns, people } = figures.words.boundary;
  const judged = boundary.map((row) => ({ ...row, judge: row.judge === 'people' ? people : titleOf(row.judge) }));
  const rows = judged.map(({ judge, error, error_interval }) => ({
    label: judge,
    value: error,
    low: error_interval?.low ?? null,
    high: error_interval?.high ?? null,
  }));
  const cells = judged.map(({ judge, answers, error, bias, exact, exact_by_chance, r2 }) => [
    ...[judge, count(answers), percent(error, 1), percent(bias, 1), share(exact), percent(exact_by_chance, 1)],
    orDash(r2, fixed(2)),
  ]);
  return [
    html`<h2>${title}</h2>`,
    figure(intervalChart({ title: chart, rows, unit, write: percent, from: 0 }), chartHelp),
    table(help, columns, cells),
  ];
}

function singleParts({ singles }: JudgingReport, { words, title: titleOf, percent }: Figures): Markup[] {
  if (singles.length === 0) return [];
  const { title, chart, chartHelp } = words.singles;
  const rows = singles.map(({ version, natural: { share, interval } }) => ({
    label: titleOf(version),
    value: share,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  }));
  return [
    html`<h2>${title}</h2>`,
    figure(intervalChart({ title: chart, rows, unit: chart, write: percent, from: 0, to: 1 }), chartHelp),
  ];
}

function trustParts({ trust, votes }: JudgingReport, figures: Figures): Markup[] {
  if (trust.all.votes === 0) return [];
  const { count, fixed, orDash, share } = figures;
  const words = figures.words.trust;
  const several = trust.raters.length > 1;
  const rows = [
    ...(several ? trust.raters : []),
    { rater: several ? words.all : (trust.raters[0]?.rater ?? words.all), ...trust.all },
  ];
  const cells = rows.map((row) => [
    row.rater,
    count(row.votes),
    orDash(row.seconds, fixed(1)),
    share(row.self_agreement),
    share(row.known_right),
    `${share(row.left)}${row.position_bias ? `: ${words.sidesMattered}` : ''}`,
  ]);
  const alpha = trust.alpha === null ? [] : [words.alpha(count(trust.alpha_pairs), fixed(2)(trust.alpha))];
  const counted = words.counted(count(votes.repeats), count(votes.known_answers), count(votes.again));
  return [
    html`<h2>${words.title}</h2>
      <p>${[...alpha, counted].join(' ')}</p>`,
    table(words.help, words.columns, cells),
  ];
}
