/** Renders the report as one HTML file: no script, no requests, charts as SVG, and its data as JSON at the end. */
import type { JudgingReport } from '../../../shared/judging-report.js';
import { alarmMessage, EVERYONE, hastyMessage, verdictMessage, type Share } from '../../../shared/judging.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { formatCount, formatFixed, formatMeasure, formatShare, NOTHING } from '../../../shared/base/numbers.js';
import { capitalize } from '../../../shared/base/words-of.js';
import { artefactNames } from '../../../shared/phases/artefacts.js';
import { shareChart } from '../pages/charts.js';
import { documentFormat, formatDay } from '../pages/document.js';
import { html, type Markup } from '../pages/html.js';
import { page, table } from '../pages/parts.js';

function formatsIn(language: Language) {
  const t = documentFormat(language);
  const names = artefactNames(t);
  const count = (value: number) => formatCount(value, language);
  const percent = (value: number | null, digits = 0) =>
    value === null ? NOTHING : formatShare(value, language, digits);
  const range = (found: { readonly low: number; readonly high: number } | null) =>
    found === null ? NOTHING : t('ratingReport.range', { low: percent(found.low), high: percent(found.high) });
  const natural = t('ratingReport.natural');
  return {
    t,
    language,
    count,
    percent,
    range,
    share: ({ yes, of, share, interval }: Share) =>
      share === null ? NOTHING : t('ratingReport.share', { share: percent(share), yes, of, range: range(interval) }),
    rater: (name: string) => (name === EVERYONE ? t('rating.pairs.everyone') : name),
    /** A version as a title, after other words, and quoted in a sentence. */
    title: (name: string) => (name === 'natural' ? capitalize(natural) : names.title(name)),
    following: (name: string) => (name === 'natural' ? natural : names.words(name)),
    quoted: (name: string) => (name === 'natural' ? natural : names.quoted(name)),
  };
}
type Formats = ReturnType<typeof formatsIn>;

export function reportPage(report: JudgingReport, language: Language): string {
  const { project, made_at, verisim, alarm, votes } = report;
  const formats = formatsIn(language);
  const { t, quoted } = formats;
  const parts = [comparisonParts, writingParts, boundaryParts, reliabilityParts].flatMap((partsOf) =>
    partsOf(report, formats),
  );
  const warning = alarm && t(alarmMessage(alarm.alarm, quoted(alarm.newest), quoted(alarm.previous)));
  return page({
    language,
    title: t('ratingReport.title', { project }),
    made: `${formatDay(made_at, language)}, Verisim ${verisim}`,
    parts: [
      ...(warning === null ? [] : [html`<p class="alarm" role="note">${warning}</p>`]),
      ...(parts.length === 0 ? [html`<p>${t('rating.pairs.none')}</p>`] : parts),
      ...(votes.ignored === 0 ? [] : [html`<p class="soft">${t('rating.ignored', { answers: votes.ignored })}</p>`]),
    ],
    data: JSON.stringify(report, null, 1),
  });
}

function comparisonParts({ comparisons }: JudgingReport, formats: Formats): Markup[] {
  if (comparisons.length === 0) return [];
  const { t, language, count, percent, range, title, following, quoted } = formats;
  const label = (first: string, second: string) =>
    t('rating.pairs.compared', { first: title(first), second: following(second) });
  const columns = (['compared', 'votes', 'neither', 'share', 'evidence'] as const).map((name) =>
    t(`ratingReport.comparisons.columns.${name}`),
  );
  const chart = t('ratingReport.comparisons.chart');
  const verdicts = comparisons.map(({ first, second, comparison }) =>
    t(verdictMessage(comparison, { first: quoted(first), second: quoted(second) })),
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
        decided_at === null ? evidence : t('ratingReport.decidedAt', { evidence, vote: decided_at }),
      ];
    },
  );
  return [
    html`<h2>${t('ratingReport.comparisons.title')}</h2>
      <ul class="verdicts">
        ${verdicts.map((verdict) => html`<li>${verdict}</li>`)}
      </ul>
      <figure>
        ${shareChart({ title: chart, rows: points, unit: chart, write: percent })}
        <figcaption>${t('ratingReport.comparisons.chartHelp')}</figcaption>
      </figure>`,
    table(t('ratingReport.comparisons.help'), columns, rows),
  ];
}

function writingParts({ writing }: JudgingReport, { t, title, percent }: Formats): Markup[] {
  const columns = (['version', 'reward', 'copied', 'varied'] as const).map((name) =>
    t(`ratingReport.writing.columns.${name}`),
  );
  const rows = writing
    .filter((row) => row.reward !== null || row.copied_share !== null)
    .map((row) => [title(row.version), percent(row.reward, 1), percent(row.copied_share, 1), percent(row.distinct_2)]);
  return rows.length === 0
    ? []
    : [html`<h2>${t('ratingReport.writing.title')}</h2>`, table(t('ratingReport.writing.help'), columns, rows)];
}

function boundaryParts({ boundary }: JudgingReport, { t, count, percent, share, rater }: Formats): Markup[] {
  if (boundary.length === 0) return [];
  const columns = (['rater', 'answers', 'error', 'late', 'exact', 'exactByChance', 'same'] as const).map((name) =>
    t(`ratingReport.boundary.columns.${name}`),
  );
  const rows = boundary.map((row) => [
    ...[rater(row.rater), count(row.answers), percent(row.error, 1), percent(row.bias, 1)],
    ...[share(row.exact), percent(row.exact_by_chance, 1), row.again ? share(row.again.same) : NOTHING],
  ]);
  return [html`<h2>${t('ratingReport.boundary.title')}</h2>`, table(t('ratingReport.boundary.help'), columns, rows)];
}

function reliabilityParts({ reliability, votes }: JudgingReport, formats: Formats): Markup[] {
  if (reliability.length === 0) return [];
  const { t, language, count, share, rater } = formats;
  const columns = (['rater', 'votes', 'seconds', 'self', 'first'] as const).map((name) =>
    t(`ratingReport.reliability.columns.${name}`),
  );
  const rows = reliability.map((row) => [
    ...[rater(row.rater), count(row.votes), formatFixed(row.seconds, 1, language)],
    ...[share(row.self_consistency), share(row.chose_first)],
  ]);
  const [everyone] = reliability;
  const hasty = everyone ? hastyMessage(everyone) : null;
  return [
    html`<h2>${t('ratingReport.reliability.title')}</h2>
      ${hasty === null ? '' : html`<p>${t(hasty)}</p>`}
      <p>${t('ratingReport.reliability.counted', { repeats: votes.repeats, again: votes.again })}</p>`,
    table(t('ratingReport.reliability.help'), columns, rows),
  ];
}
