/**
 * Declares what is measured: model shapes, and the work of one iteration of each measure. All contenders of a measure get the
 * same `Work`, also those in Python (peers/worker.py reads the same fields).
 */
import { modelConfigSchema, type GPTConfig } from '../../shared/config/model.js';

export const shapeNames = ['tiny', 'baby', 'modern', 'smollm2', 'smollm2-lora'] as const;
export type ShapeName = (typeof shapeNames)[number];

export const precisions = ['f32', 'bf16'] as const;
export type Precision = (typeof precisions)[number];

export const measures = ['train_step', 'generate', 'reward_data', 'grpo_step'] as const;
export type Measure = (typeof measures)[number];

/** One iteration of a measure, and how it is repeated. */
export interface Work {
  readonly model: GPTConfig;
  readonly precision: Precision;
  readonly threads: number;
  /** Iterations of one repeat; its time is their mean. */
  readonly iterations: number;
  /** Uncounted iterations before them, because another process has just used the caches. */
  readonly warm: number;
  /** Iterations before the first repeat, for compiling. */
  readonly prepare: number;
  /** Tokens of text for batches and prompts. */
  readonly corpus: number;
  /** Passages of a training batch. */
  readonly batch: number;
  /** Passages that are written at once, from one token each. */
  readonly sequences: number;
  /** Samples of reward data. */
  readonly samples: number;
  /** GRPO: prompts of half a block, and completions of each. */
  readonly prompts: number;
  readonly completions: number;
}

const model = (changes: Partial<GPTConfig>): GPTConfig =>
  modelConfigSchema.parse({ vocab_size: 65, dropout: 0, bias: true, ...changes });

const smollm2 = model({
  architecture: 'llama',
  vocab_size: 49_152,
  n_layer: 30,
  n_head: 9,
  n_embd: 576,
  block_size: 128,
  bias: false,
  llama: {
    n_kv_head: 3,
    head_dim: 64,
    n_inner: 1536,
    norm_epsilon: 1e-5,
    rope_theta: 100_000,
    max_positions: 8192,
    tied_head: true,
    qk_norm: false,
    attention_bias: 'none',
  },
});
const tiny = { n_layer: 4, n_head: 4, n_embd: 128, block_size: 64 };

interface Shape {
  readonly model: GPTConfig;
  readonly batch: number;
  readonly samples: number;
  /** Train steps of one repeat. */
  readonly steps: number;
  readonly measures: readonly Measure[];
}

/** SmolLM2 is too large for the guide's way of making reward data, and GRPO trains its adapters only. */
const shapes: Readonly<Record<ShapeName, Shape>> = {
  tiny: { model: model(tiny), batch: 12, samples: 500, steps: 5, measures },
  baby: {
    ...{ model: model({ n_layer: 6, n_head: 6, n_embd: 384, block_size: 256 }), batch: 8, samples: 32, steps: 1 },
    measures,
  },
  modern: {
    ...{ model: model({ ...tiny, architecture: 'modern', bias: false }), batch: 12, samples: 500, steps: 5 },
    measures: ['train_step', 'generate'],
  },
  smollm2: { model: smollm2, batch: 8, samples: 32, steps: 1, measures: ['train_step', 'generate'] },
  'smollm2-lora': {
    model: { ...smollm2, lora: { rank: 16, alpha: 32, projections: 'all' } },
    ...{ batch: 8, samples: 32, steps: 1, measures: ['train_step', 'grpo_step'] },
  },
};

export const isMeasured = (measure: Measure, shape: ShapeName): boolean => shapes[shape].measures.includes(measure);

/** Tokens that SmolLM2 writes after the first one. */
const WRITTEN_BY_LARGE = 64;

/** The work of a measure at a shape; less of it with `quick`, for all contenders. */
export function workOf(
  measure: Measure,
  shape: ShapeName,
  options: { readonly precision: Precision; readonly threads: number; readonly quick: boolean },
): Work {
  const { model: whole, batch, samples, steps } = shapes[shape];
  const { precision, threads, quick } = options;
  const isShort = measure === 'train_step' && steps > 1;
  return {
    model: shape === 'smollm2' && measure === 'generate' ? { ...whole, block_size: 1 + WRITTEN_BY_LARGE } : whole,
    precision,
    threads,
    iterations: isShort ? steps : 1,
    warm: isShort ? 1 : 0,
    prepare: measure === 'reward_data' ? 0 : 2,
    corpus: 200_000,
    batch,
    sequences: 32,
    samples: quick ? Math.min(samples, 64) : samples,
    prompts: 4,
    completions: 8,
  };
}

/** Describes one iteration in the table and the file. */
export function describeWork(measure: Measure, work: Work): string {
  const { model, batch, sequences, samples, prompts, completions } = work;
  const T = model.block_size;
  const descriptions: Readonly<Record<Measure, string>> = {
    train_step: `${batch} × ${T} tokens`,
    generate: `${sequences} × ${T - 1} tokens`,
    reward_data: `${samples} samples`,
    grpo_step: `${prompts} × ${completions} completions of ${T / 2} + ${T / 2}`,
  };
  return descriptions[measure];
}
