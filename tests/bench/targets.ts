/** The figures that the engine is held to (issue "The compiled engine"), and what a run says about each. Pure. */
import { figureOf, type Row } from './rows.js';
import type { Measure, Precision, ShapeName } from './shapes.js';

export interface Verdict {
  readonly label: string;
  readonly must: number;
  readonly aim: number | null;
  readonly unit: '×' | '%';
  /** What was measured; null when the rows that it takes are not there. */
  readonly value: number | null;
  /** Whether more is better (a speed-up) or less (extra time). */
  readonly isGood: boolean;
}

type Rows = readonly Row[];

const find = (
  rows: Rows,
  measure: Measure,
  shape: ShapeName,
  precision: Precision,
  is: (row: Row) => boolean,
): Row | undefined => {
  const found = rows.filter(
    (row) => row.measure === measure && row.shape === shape && row.precision === precision && is(row),
  );
  return found.toSorted((a, b) => figureOf(a) - figureOf(b))[0];
};

const isVerisim = (row: Row): boolean => row.contender === 'verisim' && row.variant === null;
const isPyTorch = (row: Row): boolean => row.contender.startsWith('pytorch-');

/** How many times faster Verisim is than the fastest row that `is` describes. */
function speedUp(
  rows: Rows,
  measure: Measure,
  shape: ShapeName,
  is: (row: Row) => boolean,
  precision: Precision = 'f32',
): number | null {
  const [own, other] = [find(rows, measure, shape, precision, isVerisim), find(rows, measure, shape, precision, is)];
  return own && other ? figureOf(other) / figureOf(own) : null;
}

const percent = (share: number | undefined): number | null => (share === undefined ? null : 100 * share);

/** Every figure that this run can say something about. */
export function verdicts(rows: Rows): Verdict[] {
  const shapes = ['tiny', 'baby'] as const;
  const more = (
    label: string,
    value: number | null,
    must: number,
    aim: number,
    unit: Verdict['unit'] = '×',
  ): Verdict => ({
    label,
    must,
    aim,
    unit,
    value,
    isGood: value !== null && value >= must,
  });
  const step = find(rows, 'train_step', 'baby', 'f32', isVerisim);
  const all: Verdict[] = [
    ...shapes.map((shape) =>
      more(
        `train step, ${shape}, f32, against the faster PyTorch`,
        speedUp(rows, 'train_step', shape, isPyTorch),
        1,
        1.25,
      ),
    ),
    more(
      'train step, baby, bf16, against the faster PyTorch',
      speedUp(rows, 'train_step', 'baby', isPyTorch, 'bf16'),
      1,
      1.25,
    ),
    more('share of the f32 matmul peak, train step, baby', percent(step?.share_of_peak), 65, 85, '%'),
    ...shapes.flatMap((shape) => [
      more(
        `generation, ${shape}, against transformers' ordinary cache`,
        speedUp(rows, 'generate', shape, ({ variant }) => variant === 'dynamic-cache'),
        2,
        4,
      ),
      more(
        `generation, ${shape}, against transformers' static cache, compiled`,
        speedUp(rows, 'generate', shape, ({ variant }) => variant === 'static-cache-compiled'),
        1.2,
        2,
      ),
      more(
        `GRPO step, ${shape}, against TRL`,
        speedUp(rows, 'grpo_step', shape, ({ contender }) => contender === 'trl'),
        1.5,
        2.5,
      ),
    ]),
    more(
      "reward data, tiny, against the guide's way",
      speedUp(rows, 'reward_data', 'tiny', ({ contender }) => contender === 'guide'),
      20,
      50,
    ),
    more('binary against text loading', loading(rows), 8, 50),
    ...shapes.map((shape): Verdict => {
      const value = find(rows, 'train_step', shape, 'f32', isVerisim)?.extra_percent ?? null;
      return {
        label: `extra time of a compiled step, ${shape}`,
        must: 5,
        aim: null,
        unit: '%',
        value,
        isGood: value !== null && value <= 5,
      };
    }),
  ];
  return all.filter(({ value }) => value !== null);
}

function loading(rows: Rows): number | null {
  const [text, binary] = [
    find(rows, 'load_text', 'tiny', 'f32', isVerisim),
    find(rows, 'load_binary', 'tiny', 'f32', isVerisim),
  ];
  return text && binary ? figureOf(text) / figureOf(binary) : null;
}
