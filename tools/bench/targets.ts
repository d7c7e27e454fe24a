/** The figures that the engine is held to (issue "The compiled engine"), and what a run says about each. Pure. */
import { figureOf, type Row } from './rows.js';
import { precisions, type Measure, type Precision, type ShapeName } from './shapes.js';

export interface Verdict {
  readonly label: string;
  readonly must: number;
  readonly aim: number | null;
  readonly unit: '×' | '%';
  readonly value: number;
  /** The same by the quickest repeats, which a busy machine distorts least; null where it has no meaning. */
  readonly byMinimum: number | null;
  /** Other programs were busy meanwhile: the figure decides nothing. PyTorch suffers most, its threads wait for each other. */
  readonly isNoisy: boolean;
  /** Whether more is better (a speed-up) or less (extra time). */
  readonly isGood: boolean;
}

type Rows = readonly Row[];

/** Above this share of the processor, what others do decides the figures. */
export const QUIET = 0.05;

interface Measured {
  readonly value: number;
  readonly byMinimum: number | null;
  readonly isNoisy: boolean;
}

const isNoisy = (...rows: readonly Row[]): boolean =>
  rows.some(({ other_load: load }) => load === null || load > QUIET);

/** How many times as long as `own` the other one takes. */
const ratio = (own: Row | undefined, other: Row | undefined): Measured | null =>
  own && other
    ? {
        value: figureOf(other) / figureOf(own),
        byMinimum: Math.min(...other.samples) / Math.min(...own.samples),
        isNoisy: isNoisy(own, other),
      }
    : null;

const single = (row: Row | undefined, value: number | undefined): Measured | null =>
  row && value !== undefined ? { value, byMinimum: null, isNoisy: isNoisy(row) } : null;

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

const percent = (share: number | undefined): number | undefined => (share === undefined ? undefined : 100 * share);

/** How many times faster Verisim is than the fastest row that `is` describes. */
const speedUp = (
  rows: Rows,
  measure: Measure,
  shape: ShapeName,
  is: (row: Row) => boolean,
  precision: Precision = 'f32',
): Measured | null =>
  ratio(find(rows, measure, shape, precision, isVerisim), find(rows, measure, shape, precision, is));

/** What the figures of these measures are about; `--quick` does less, which says nothing about them. */
const wholeWork: Partial<Record<Measure, string>> = {
  reward_data: '500 samples',
  load_text: '10 MB of text',
  load_binary: '10 MB of text',
};

/** Every figure that this run can say something about. */
export function verdicts(all: Rows): Verdict[] {
  const rows = all.filter(({ measure, shape, work }) => shape !== 'tiny' || (wholeWork[measure] ?? work) === work);
  const shapes = ['tiny', 'baby'] as const;
  const judge = (
    label: string,
    measured: Measured | null,
    must: number,
    aim: number | null,
    unit: Verdict['unit'],
    isGood: (value: number) => boolean,
  ): Verdict[] => (measured ? [{ label, must, aim, unit, ...measured, isGood: isGood(measured.value) }] : []);
  const more = (label: string, measured: Measured | null, must: number, aim: number, unit: Verdict['unit'] = '×') =>
    judge(label, measured, must, aim, unit, (value) => value >= must);
  const step = find(rows, 'train_step', 'baby', 'f32', isVerisim);
  return [
    ...shapes.flatMap((shape) =>
      more(
        `train step, ${shape}, f32, against the faster PyTorch`,
        speedUp(rows, 'train_step', shape, isPyTorch),
        1,
        1.25,
      ),
    ),
    ...more(
      'train step, baby, bf16, against the faster PyTorch',
      speedUp(rows, 'train_step', 'baby', isPyTorch, 'bf16'),
      1,
      1.25,
    ),
    ...more(
      'train step, modern, f32, against the faster PyTorch',
      speedUp(rows, 'train_step', 'modern', isPyTorch),
      1,
      1.25,
    ),
    ...large(rows, more),
    ...more('share of the f32 matmul peak, train step, baby', single(step, percent(step?.share_of_peak)), 65, 85, '%'),
    ...shapes.flatMap((shape) => [
      ...more(
        `generation, ${shape}, against transformers' ordinary cache`,
        speedUp(rows, 'generate', shape, ({ variant }) => variant === 'dynamic-cache'),
        2,
        4,
      ),
      ...more(
        `generation, ${shape}, against transformers' static cache, compiled`,
        speedUp(rows, 'generate', shape, ({ variant }) => variant === 'static-cache-compiled'),
        1.2,
        2,
      ),
      ...more(
        `GRPO step, ${shape}, against TRL`,
        speedUp(rows, 'grpo_step', shape, ({ contender }) => contender === 'trl'),
        1.5,
        2.5,
      ),
    ]),
    ...more(
      "reward data, tiny, against the guide's way",
      speedUp(rows, 'reward_data', 'tiny', ({ contender }) => contender === 'guide'),
      20,
      50,
    ),
    ...more('binary against text loading', loading(rows), 8, 50),
    ...shapes.flatMap((shape) => {
      const row = find(rows, 'train_step', shape, 'f32', isVerisim);
      const extra = single(row, row?.extra_percent);
      return judge(`extra time of a compiled step, ${shape}`, extra, 5, null, '%', (value) => value <= 5);
    }),
  ];
}

/** What is asked of a model of SmolLM2's size (issue "Begin from a model that can already write"): all of it trained, or adapters. */
function large(
  rows: Rows,
  more: (label: string, measured: Measured | null, must: number, aim: number) => Verdict[],
): Verdict[] {
  const trained = (shape: ShapeName) =>
    precisions.flatMap((precision) =>
      (
        [
          ['train_step', 'train step', 'the faster PyTorch'],
          ['peak_memory', 'memory', 'the smaller PyTorch'],
        ] as const
      ).flatMap(([measure, name, rival]) =>
        more(
          `${name}, ${shape}, ${precision}, against ${rival}`,
          speedUp(rows, measure, shape, isPyTorch, precision),
          1,
          1.25,
        ),
      ),
    );
  return [
    ...trained('smollm2'),
    ...trained('smollm2-lora'),
    ...more(
      "generation, smollm2, against transformers' faster cache",
      speedUp(rows, 'generate', 'smollm2', ({ contender }) => contender === 'transformers'),
      1.5,
      3,
    ),
    ...more(
      'GRPO step, smollm2-lora, against TRL',
      speedUp(rows, 'grpo_step', 'smollm2-lora', ({ contender }) => contender === 'trl'),
      1.5,
      2.5,
    ),
  ];
}

const loading = (rows: Rows): Measured | null =>
  ratio(find(rows, 'load_binary', 'tiny', 'f32', isVerisim), find(rows, 'load_text', 'tiny', 'f32', isVerisim));
