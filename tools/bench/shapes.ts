/**
 * What is measured: model shapes, and how much work one iteration of each measure is. Every contender of a measure
 * gets the same `Work`, the peers in Python too (peers/worker.py reads the same fields).
 */
import { modelConfigSchema, type GPTConfig } from '../../shared/config/model.js';

export const shapeNames = ['tiny', 'baby', 'modern', 'smollm2', 'smollm2-lora'] as const;
export type ShapeName = (typeof shapeNames)[number];

export const precisions = ['f32', 'bf16'] as const;
export type Precision = (typeof precisions)[number];

export const measures = [
  'train_step',
  'generate',
  'reward_data',
  'grpo_step',
  'evaluate',
  'load_text',
  'load_binary',
  'startup',
  'peak_memory',
  'matmul_peak',
] as const;
export type Measure = (typeof measures)[number];

/** One iteration of a measure, and how it is repeated. */
export interface Work {
  readonly model: GPTConfig;
  readonly precision: Precision;
  readonly threads: number;
  /** Iterations of one repeat; its time is their mean. */
  readonly iterations: number;
  /** Iterations before them that do not count: another process has just used the caches. */
  readonly warm: number;
  /** Iterations before the first repeat: compiling, first buffers. */
  readonly prepare: number;
  /** Tokens of text to take batches and beginnings from. */
  readonly corpus: number;
  /** Passages of a training batch. */
  readonly batch: number;
  /** Passages written side by side, and how many tokens of each are given. */
  readonly sequences: number;
  readonly promptTokens: number;
  /** Reward data: samples in all. */
  readonly samples: number;
  /** GRPO: prompts, and completions of each; half a block is prompt. */
  readonly prompts: number;
  readonly completions: number;
  /** Evaluation: windows of one block. */
  readonly windows: number;
  /** Loading: bytes of text. */
  readonly textBytes: number;
  /** Sides of the square matrices of `matmul_peak`. */
  readonly sizes: readonly number[];
}

const model = (changes: Partial<GPTConfig>): GPTConfig =>
  modelConfigSchema.parse({ vocab_size: 65, dropout: 0, bias: true, ...changes });

/** SmolLM2-135M's, with weights of no sense: how long a step takes does not depend on them. */
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
const large = { batch: 8, samples: 32, windows: 8, steps: 1 } as const;

const shapes = {
  tiny: {
    model: model({ n_layer: 4, n_head: 4, n_embd: 128, block_size: 64 }),
    batch: 12,
    samples: 500,
    windows: 512,
    steps: 5,
  },
  baby: {
    model: model({ n_layer: 6, n_head: 6, n_embd: 384, block_size: 256 }),
    batch: 8,
    samples: 32,
    windows: 32,
    steps: 1,
  },
  /** Tiny in the modern architecture. */
  modern: {
    model: model({ architecture: 'modern', n_layer: 4, n_head: 4, n_embd: 128, block_size: 64, bias: false }),
    batch: 12,
    samples: 500,
    windows: 512,
    steps: 5,
  },
  smollm2: { model: smollm2, ...large },
  /** The same, of which only adapters are trained, those of the preset. */
  'smollm2-lora': { model: { ...smollm2, lora: { rank: 16, alpha: 32, projections: 'all' } }, ...large },
} as const;

/** Tokens that a model of SmolLM2's size writes after one that is given. */
const WRITTEN_BY_LARGE = 64;

/**
 * What a shape is not measured in: a model of SmolLM2's size makes no reward data in the guide's way, nor in a second, and learns
 * by GRPO with adapters; what the modern architecture shares with the others is measured with them.
 */
const notMeasured: Readonly<Partial<Record<ShapeName, readonly Measure[]>>> = {
  modern: ['reward_data', 'grpo_step', 'startup', 'peak_memory'],
  smollm2: ['reward_data', 'evaluate', 'grpo_step'],
  'smollm2-lora': ['reward_data', 'evaluate', 'generate', 'startup'],
};
export const isMeasured = (measure: Measure, shape: ShapeName): boolean =>
  !(notMeasured[shape]?.includes(measure) ?? false);

/** The work of a measure at a shape. `quick` makes the longest ones smaller, for every contender alike. */
export function workOf(
  measure: Measure,
  shape: ShapeName,
  options: { readonly precision: Precision; readonly threads: number; readonly quick: boolean },
): Work {
  const { model: whole, batch, samples, windows, steps } = shapes[shape];
  const isPart = shape === 'smollm2' && measure === 'generate';
  const model = isPart ? { ...whole, block_size: 1 + WRITTEN_BY_LARGE } : whole;
  const { precision, threads, quick } = options;
  const isShort = measure === 'train_step' && steps > 1;
  return {
    model,
    precision,
    threads,
    iterations: isShort ? steps : 1,
    warm: isShort ? 1 : 0,
    prepare: measure === 'reward_data' || measure === 'startup' ? 0 : 2,
    corpus: 200_000,
    batch,
    sequences: 32,
    promptTokens: 1,
    samples: quick ? Math.min(samples, 64) : samples,
    prompts: 4,
    completions: 8,
    windows,
    textBytes: quick ? 2_000_000 : 10_000_000,
    sizes: [512, 1024, 2048],
  };
}

/** One iteration in words, for the table and the file. */
export function describeWork(measure: Measure, work: Work): string {
  const { model, batch, sequences, promptTokens, samples, prompts, completions, windows, textBytes, sizes } = work;
  const T = model.block_size;
  switch (measure) {
    case 'train_step':
      return `${batch} × ${T} tokens`;
    case 'generate':
      return `${sequences} × ${T - promptTokens} tokens`;
    case 'reward_data':
      return `${samples} samples`;
    case 'grpo_step':
      return `${prompts} × ${completions} completions of ${T / 2} + ${T / 2}`;
    case 'evaluate':
      return `${windows * T} tokens`;
    case 'load_text':
    case 'load_binary':
      return `${textBytes / 1e6} MB of text`;
    case 'startup':
      return 'to the end of the first train step';
    case 'peak_memory':
      return 'four train steps';
    case 'matmul_peak':
      return `${Math.max(...sizes)}³ product`;
  }
}
