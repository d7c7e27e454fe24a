/**
 * The study's charts, drawn from its JSON: the same figures give the same bytes. One sort of chart serves all: values in
 * named columns, a dot for each seed, a bar for their mean.
 */
import { mean } from '../../main/engine/statistics/statistics.js';
import type { StudyRow } from './results.js';

interface Column {
  readonly label: string;
  readonly values: readonly number[];
}

interface Chart {
  readonly title: string;
  /** What the vertical axis counts. */
  readonly unit: string;
  readonly columns: readonly Column[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 56;
const TOP = 56;
const BOTTOM = 44;
const TICKS = 5;

type Judged = StudyRow['generators'][number];

/** Charts of a whole study by file name. */
export function studyCharts(rows: readonly StudyRow[]): Readonly<Record<string, Chart>> {
  const column = (label: string, of: (row: StudyRow) => number | null | undefined): Column[] => {
    const values = rows.map(of).filter((value): value is number => typeof value === 'number');
    return values.length === 0 ? [] : [{ label, values }];
  };
  const firstAndLast = (of: (generator: Judged) => number | null) => [
    ...column('base_model_v1', ({ generators: [first] }) => first && of(first)),
    ...column('after the cycles', ({ generators: [, last] }) => last && of(last)),
  ];
  const kinds = ['head', 'token', 'critic', 'hybrid'] as const;
  return {
    'reward-r2': {
      title: 'What each reward model sees in cycle 1',
      unit: 'R²',
      columns: kinds.flatMap((kind) => column(kind, ({ result }) => result.reward_r2[kind])),
    },
    'judge-nats': {
      title: 'How surprised the judge is (lower is likelier)',
      unit: 'nats per token, without a prompt',
      columns: [
        ...firstAndLast(({ judge_nats }) => judge_nats.mean),
        ...column('natural text', ({ natural }) => natural.judge_nats.mean),
      ],
    },
    perplexity: {
      title: 'Held-out perplexity',
      unit: 'perplexity',
      columns: [0, 1, 2].flatMap((cycle) =>
        column(`base_model_v${String(cycle + 1)}`, ({ cycles }) => cycles[cycle]?.perplexity),
      ),
    },
    'fresh-discriminator': {
      title: 'What a discriminator trained afresh can tell',
      unit: 'R²',
      columns: firstAndLast(({ fresh_discriminator }) => fresh_discriminator.r2),
    },
  };
}

export function chartSvg({ title, unit, columns }: Chart): string {
  const all = columns.flatMap(({ values }) => values);
  const [low, high] = range(all);
  const y = (value: number) => HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const step = (WIDTH - LEFT - 16) / Math.max(1, columns.length);
  const ticks = Array.from({ length: TICKS }, (_, i) => low + ((high - low) * i) / (TICKS - 1));
  const parts = ticks.flatMap((tick) => [
    `<line x1="${LEFT}" x2="${WIDTH - 16}" y1="${fixed(y(tick))}" y2="${fixed(y(tick))}" stroke="#d4d4d8"/>`,
    text(LEFT - 8, y(tick) + 4, tick.toFixed(high - low < 0.1 ? 3 : 2), 'end'),
  ]);
  columns.forEach(({ label, values }, place) => {
    const x = LEFT + step * (place + 0.5);
    const middle = y(mean(values));
    parts.push(
      `<line x1="${fixed(x - 24)}" x2="${fixed(x + 24)}" y1="${fixed(middle)}" y2="${fixed(middle)}" stroke="#1d4ed8" stroke-width="3"/>`,
    );
    values.forEach((value, seed) => {
      const aside = x + 8 * (seed - (values.length - 1) / 2);
      parts.push(`<circle cx="${fixed(aside)}" cy="${fixed(y(value))}" r="4" fill="#f97316" fill-opacity="0.8"/>`);
    });
    parts.push(text(x, HEIGHT - BOTTOM + 20, label, 'middle'));
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="16" y="20" font-size="14" font-weight="bold" fill="#18181b">${escaped(title)}</text>`,
    text(16, 36, unit, 'start'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** A little more than all values, so that none lies on the edge. */
function range(values: readonly number[]): [low: number, high: number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = (most - least) * 0.08 || Math.abs(most) * 0.08 || 1;
  return [least - margin, most + margin];
}

const fixed = (value: number): string => value.toFixed(1);

const text = (x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string =>
  `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}" fill="#52525b">${escaped(words)}</text>`;

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
