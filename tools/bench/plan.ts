/** Plans which contenders take turns, how often, and in which order. Pure. */
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
  readonly contestants: readonly Contestant[];
}

/** The variant of a peer that computes without the GPU that others have. */
export const ON_PROCESSOR = 'processor';

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
};

/** Eager steps on the GPU and on the same machine's processor. */
const peersOnGpu: Readonly<Partial<Record<Measure, readonly Peer[]>>> = {
  train_step: [
    ['pytorch-eager', null],
    ['pytorch-eager', ON_PROCESSOR],
  ],
  generate: [['transformers', 'dynamic-cache']],
  grpo_step: [['trl', null]],
};

export function planRotations(
  { only, shapes, quick, peers, device }: Pick<BenchOptions, 'only' | 'shapes' | 'quick' | 'peers' | 'device'>,
  machine: { readonly threads: number; readonly precisions: readonly Precision[] },
): Rotation[] {
  const contestants = (measure: Measure, shape: ShapeName, precision: Precision): Contestant[] => {
    const work = workOf(measure, shape, { precision, threads: machine.threads, quick });
    const others = (device === 'cpu' ? peersOf[measure] : peersOnGpu[measure]) ?? [];
    const all: readonly Peer[] = [['verisim', null], ...(peers ? others : [])];
    return all.map(([contender, variant]) => ({ measure, contender, variant, work }));
  };
  return shapes.flatMap((shape) =>
    only
      .filter((measure) => isMeasured(measure, shape))
      .flatMap((measure) =>
        machine.precisions
          // Only training multiplies bfloat16 at these shapes.
          .filter((precision) => precision === 'f32' || measure === 'train_step')
          .map((precision) => ({ shape, precision, contestants: contestants(measure, shape, precision) })),
      ),
  );
}

/** How many repeats fit into the budget if one takes `milliseconds`: at least `least`. */
export function repeatsWithin(
  milliseconds: number,
  limits: { readonly most: number; readonly least: number; readonly budgetMs: number },
): number {
  const affordable = Math.floor(limits.budgetMs / Math.max(milliseconds, 1e-3));
  return Math.max(Math.min(limits.least, limits.most), Math.min(limits.most, affordable));
}

/**
 * The order of all repeats, as indices of contenders. They take turns, so that other load falls on all alike. Contender `i` occurs
 * `counts[i]` times, spread evenly, and each round starts with another one.
 */
export function turns(counts: readonly number[]): number[] {
  const rounds = Math.max(0, ...counts);
  const order: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < counts.length; place++) {
      const contender = (place + round) % counts.length;
      const count = counts[contender] ?? 0;
      if (Math.floor(((round + 1) * count) / rounds) > Math.floor((round * count) / rounds)) order.push(contender);
    }
  }
  return order;
}
