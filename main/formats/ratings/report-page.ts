/**
 * The report as one HTML file that opens anywhere: no script, nothing from elsewhere (its policy forbids both), charts drawn in
 * it, and the data it was made from at its end.
 */
import type { JudgingReport } from '../../../shared/judging-report.js';
import {
  alarmSentence,
  verdictSentence,
  type Comparison,
  type Preference,
  type Share,
} from '../../../shared/judging.js';
import { intervalChart } from '../pages/charts.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';

const percent = (value: number, digits = 0): string => `${(100 * value).toFixed(digits)}%`;
const points = (value: number): string => (Math.round(value) === 0 ? '0' : value.toFixed(0));
const orDash = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);
const range = (found: { readonly low: number; readonly high: number } | null, write = percent): string =>
  found === null ? '–' : `${write(found.low)} to ${write(found.high)}`;
const preferenceInWords = (found: Preference | null): string =>
  found === null ? '–' : `${percent(found.estimate)} (${range(found)})`;
const shareInWords = ({ yes, of, share, interval }: Share): string =>
  share === null ? '–' : `${percent(share)} (${yes} of ${of}; ${range(interval)})`;

const figure = (chart: Markup, caption: string): Markup =>
  html`<figure>
    ${chart}
    <figcaption>${caption}</figcaption>
  </figure>`;

/** One self-contained page. The data stands in it as JSON, escaped, for whoever wants the figures. */
export function reportPage(report: JudgingReport): string {
  const { project, made_at, verisim, alarm, methods } = report;
  const parts = [
    ...comparisonParts(report),
    ...ratingParts(report),
    ...writingParts(report),
    ...boundaryParts(report),
    ...singleParts(report),
    ...trustParts(report),
  ];
  return page({
    title: `Human evaluation of ${project}`,
    made: `${made_at.slice(0, 10)}, Verisim ${verisim}`,
    parts: [
      ...(alarm === null
        ? []
        : [html`<p class="alarm" role="note">${alarmSentence(alarm.alarm, alarm.newest, alarm.previous)}</p>`]),
      ...(parts.length === 0 ? [html`<p>Nothing has been judged yet.</p>`] : parts),
      ...(methods === ''
        ? []
        : [
            html`<h2>Methods</h2>
              <p>${methods}</p>`,
          ]),
    ],
    data: JSON.stringify(report, null, 1),
  });
}

/** What is known of the writing beside what people prefer. */
function copied(report: JudgingReport, version: string): string {
  const found = report.writing.find((row) => row.version === version);
  return `${orDash(found?.copied_share ?? null, (share) => percent(share, 1))}; ${orDash(found?.distinct_2 ?? null, (share) => percent(share))}`;
}

/** What it is now; a decision stays, also where later votes took some of it back. */
function evidenceInWords({ e_value, decided_at }: Comparison): string {
  const now = e_value < 1000 ? e_value.toPrecision(3) : e_value.toExponential(1);
  return decided_at === null ? now : `${now}; decided at vote ${decided_at}`;
}

function comparisonParts(report: JudgingReport): Markup[] {
  const { comparisons } = report;
  if (comparisons.length === 0) return [];
  const rows = comparisons.map(({ first, second, comparison: { share, interval } }) => ({
    label: `${first} against ${second}`,
    value: share,
    ...interval,
  }));
  const title = 'Share of untied votes for the first';
  const chart = intervalChart({ title, rows, unit: title, write: percent, line: 0.5, from: 0, to: 1 });
  const cells = comparisons.map(({ first, second, comparison, preference }) => [
    `${first} against ${second}`,
    `${comparison.wins} : ${comparison.losses}`,
    `${comparison.ties}, ${comparison.both_bad}`,
    evidenceInWords(comparison),
    preferenceInWords(preference.without),
    preferenceInWords(preference.with),
    copied(report, first),
    copied(report, second),
  ]);
  const heading = ['compared', 'for each', 'ties, both bad', 'evidence', 'preference', 'with models’ scores'];
  return [
    html`<h2>Which version is better</h2>
      <ul class="said">
        ${comparisons.map(({ first, second, comparison }) => html`<li>${verdictSentence(comparison, { first, second })}</li>`)}
      </ul>`,
    figure(
      chart,
      'With 95% intervals that hold after every vote at once. The dashed line is one half: as good as each other.',
    ),
    table(
      'Evidence of 20 decides. A preference counts a tie as half; its interval is for this number of votes. Beside it, how much of each version’s writing stands in the training text, and how varied it is: people do not notice copying.',
      [...heading, 'first: copied; varied', 'second: copied; varied'],
      cells,
    ),
  ];
}

function ratingParts({ ratings, versions }: JudgingReport): Markup[] {
  if (ratings === null) return [];
  const { against, flips, tie_share } = ratings;
  // In the order of the cycles, so that one sees where it goes.
  const rows = versions.flatMap((name) => {
    const found = ratings.versions.find(({ version }) => version === name);
    return found ? [{ label: name, value: found.rating, low: found.low, high: found.high }] : [];
  });
  const unit = `points above ${against ?? 'the mean'}; 400 are odds of ten to one`;
  return [
    html`<h2>Ratings of all versions</h2>`,
    figure(
      intervalChart({ title: 'Rating of each version', rows, unit, write: points, line: 0 }),
      `Bradley–Terry with ties (Davidson) and a weak prior, with 95% intervals.${tie_share === null ? '' : ` Of votes on two equals, ${percent(tie_share)} are for neither.`}`,
    ),
    html`<ul class="said">
      ${flips.map(({ above, below, votes }) => html`<li>${below} would be ahead of ${above} with ${votes === null ? 'thousands of votes more' : `${votes} more ${votes === 1 ? 'vote' : 'votes'} for it against ${above}`}.</li>`)}
    </ul>`,
  ];
}

function writingParts({ writing, ratings }: JudgingReport): Markup[] {
  if (writing.length === 0) return [];
  const three = (value: number) => value.toFixed(3);
  const rows = writing.map(({ version, reward, reward_interval, copied_share, distinct_2 }) => [
    version,
    `${orDash(reward, three)}${reward_interval === null ? '' : ` (${range(reward_interval, three)})`}`,
    orDash(ratings?.versions.find((row) => row.version === version)?.rating ?? null, points),
    orDash(copied_share, (share) => percent(share, 1)),
    orDash(distinct_2, (share) => percent(share)),
  ]);
  const heading = ['version', 'reward', 'people’s rating', 'copied', 'varied'];
  return [
    html`<h2>Reward and people</h2>`,
    table(
      'Reward: by the reward model of the version’s own cycle. Copied: of the writing, what stands in the training text. Varied: distinct pairs of words among all.',
      heading,
      rows,
    ),
  ];
}

function boundaryParts({ boundary }: JudgingReport): Markup[] {
  if (boundary.length === 0) return [];
  const rows = boundary.map(({ judge, error, error_interval }) => ({
    label: judge,
    value: error,
    low: error_interval?.low ?? null,
    high: error_interval?.high ?? null,
  }));
  const unit = 'mean distance from the truth, as a share of the passage';
  const heading = ['judge', 'answers', 'error', 'too late by', 'exact', 'exact by chance', 'R²'];
  const cells = boundary.map(({ judge, answers, error, bias, exact, exact_by_chance, r2 }) => [
    ...[judge, answers, percent(error, 1), percent(bias, 1), shareInWords(exact), percent(exact_by_chance, 1)],
    orDash(r2, (value) => value.toFixed(2)),
  ]);
  return [
    html`<h2>Where a passage stops being natural</h2>`,
    figure(
      intervalChart({ title: 'Error of each judge', rows, unit, write: percent, from: 0 }),
      'People, reward model and critic on the same passages, with 95% intervals.',
    ),
    table('An answer is exact where it is the very word.', heading, cells),
  ];
}

function singleParts({ singles }: JudgingReport): Markup[] {
  if (singles.length === 0) return [];
  const rows = singles.map(({ version, natural: { share, interval } }) => ({
    label: version,
    value: share,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  }));
  const title = 'Share of passages taken for natural';
  return [
    html`<h2>Single passages</h2>`,
    figure(
      intervalChart({ title, rows, unit: title, write: percent, from: 0, to: 1 }),
      'Judged alone, with 95% intervals.',
    ),
  ];
}

function trustParts({ trust, votes }: JudgingReport): Markup[] {
  if (trust.all.votes === 0) return [];
  const several = trust.raters.length > 1;
  const rows = [
    ...(several ? trust.raters : []),
    { rater: several ? 'all' : (trust.raters[0]?.rater ?? 'all'), ...trust.all },
  ];
  const heading = ['rater', 'votes', 'seconds a vote', 'same again', 'known answers right', 'for the left'];
  const cells = rows.map((row) => [
    row.rater,
    row.votes,
    orDash(row.seconds, (seconds) => seconds.toFixed(1)),
    shareInWords(row.self_agreement),
    shareInWords(row.known_right),
    `${shareInWords(row.left)}${row.position_bias ? ': sides mattered' : ''}`,
  ]);
  const alpha =
    trust.alpha === null
      ? ''
      : `Krippendorff’s α over ${trust.alpha_pairs} pairs that several judged: ${trust.alpha.toFixed(2)}. `;
  return [
    html`<h2>How far the votes can be trusted</h2>
      <p>
        ${alpha}Repeats: ${votes.repeats}; known answers: ${votes.known_answers}; further votes on a pair:
        ${votes.again}. None was left out silently.
      </p>`,
    table(
      'Same again: pairs repeated with sides swapped; nothing can agree with a rater more than that.',
      heading,
      cells,
    ),
  ];
}
