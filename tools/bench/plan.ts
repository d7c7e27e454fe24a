/** Which contenders meet in which rotation. Pure. */
import type { BenchOptions } from './options.js';
import type { Row } from './rows.js';
import { isMeasured, workOf, type Measure, type Precision, type ShapeName, type Work } from './shapes.js';

export interface Contestant {
  readonly measure: Measure;
  readonly contender: Row['contender'];
  readonly variant: string | null;
  readonly work: Work;
}

/** Contenders that take turns. */
export interface Rotation {
  readonly shape: ShapeName;
  readonly precision: Precision;
  /** Each repeat starts the process anew. */
  readonly isFresh: boolean;
  readonly contestants: readonly Contestant[];
}

type Peer = readonly [Row['contender'], string | null];

const peersOf: Readonly<Record<Measure, readonly Peer[]>> = {
  train_step: [
    ['pytorch-eager', null],
    ['pytorch-compile', null],
  ],
  generate: [
    ['transformers', 'dynamic-cache'],
    ['transformers', 'static-cache-compiled'],
  ],
  reward_data: [['guide', null]],
  grpo_step: [['trl', null]],
  evaluate: [
    ['pytorch-eager', null],
    ['pytorch-compile', null],
  ],
  load_text: [],
  load_binary: [],
  startup: [
    ['pytorch-eager', null],
    ['pytorch-compile', null],
  ],
  peak_memory: [
    ['pytorch-eager', null],
    ['pytorch-compile', null],
  ],
  matmul_peak: [['pytorch-eager', null]],
};

const withModel: readonly Measure[] = ['train_step', 'generate', 'reward_data', 'grpo_step', 'evaluate'];
/** Measured in 16 bits too. */
const inBothPrecisions: readonly Measure[] = ['train_step'];

/** Trained in bf16 wherever the processor has it. */
const isLarge = (shape: ShapeName): boolean => shape.startsWith('smollm2');

export function planRotations(
  options: Pick<BenchOptions, 'only' | 'shapes' | 'quick' | 'peers' | 'withoutXla'>,
  machine: { readonly threads: number; readonly precisions: readonly Precision[] },
): Rotation[] {
  const { only, shapes, quick, peers, withoutXla } = options;
  const contestants = (measure: Measure, shape: ShapeName, precision: Precision): Contestant[] => {
    const work = workOf(measure, shape, { precision, threads: machine.threads, quick });
    const usesXla = withModel.includes(measure);
    const all: readonly Peer[] = [
      ['verisim', null],
      ...(withoutXla && usesXla ? [['verisim', 'no-xla'] as const] : []),
      ...(peers ? peersOf[measure] : []),
    ];
    return all.map(([contender, variant]) => ({ measure, contender, variant, work }));
  };
  const rotations: Rotation[] = [];
  const add = (shape: ShapeName, precision: Precision, isFresh: boolean, ...groups: readonly Contestant[][]) => {
    if (groups.flat().length > 0) rotations.push({ shape, precision, isFresh, contestants: groups.flat() });
  };
  for (const shape of shapes) {
    for (const measure of withModel.filter((name) => only.includes(name) && isMeasured(name, shape))) {
      for (const precision of machine.precisions) {
        if (precision === 'bf16' && !inBothPrecisions.includes(measure)) continue;
        // The peak is measured between the same repeats, so that a share of it means something on a busy machine.
        add(
          shape,
          precision,
          false,
          contestants(measure, shape, precision),
          contestants('matmul_peak', shape, precision),
        );
      }
    }
    const fresh = (['startup', 'peak_memory'] as const).filter(
      (name) => only.includes(name) && isMeasured(name, shape),
    );
    for (const precision of machine.precisions) {
      // Small models are trained in f32.
      if (precision === 'bf16' && !isLarge(shape)) continue;
      add(shape, precision, true, ...fresh.map((measure) => contestants(measure, shape, precision)));
    }
  }
  const loads = (['load_text', 'load_binary'] as const).filter((name) => only.includes(name));
  add('tiny', 'f32', false, ...loads.map((measure) => contestants(measure, 'tiny', 'f32')));
  if (only.includes('matmul_peak')) {
    for (const precision of machine.precisions) {
      add('tiny', precision, false, contestants('matmul_peak', 'tiny', precision));
    }
  }
  return rotations;
}
