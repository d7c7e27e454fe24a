/** A small world for engine tests: real TensorFlow, tokens in memory, checkpoints in memory, events collected. */
import { createHash } from 'node:crypto';
import { projectConfigSchema, type ProjectConfig } from '../../shared/config/index.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { uniformInt } from '../../main/engine/rng.js';
import { tokensInMemory } from '../../main/engine/train/dataset.js';
import type {
  Checkpoint,
  CheckpointSlot,
  Environment,
  NamedArrays,
  RewardSamples,
  TokenSource,
} from '../../main/engine/types.js';
import type { Runtime } from '../../main/engine/runtime/types.js';
import { bound } from './counting.js';
import { testRuntime } from './runtime.js';

export interface TestEnvironment extends Environment {
  readonly events: JobEvent[];
  readonly stop: { requested: boolean };
}

/**
 * The runtime with every function compiled to a plain graph: XLA would take seconds for each, which models as small as
 * these never earn back. What XLA does is tested in runtime/ and parity/.
 */
export async function runtimeWithoutXla(): Promise<Runtime> {
  const runtime = await testRuntime();
  return {
    ...runtime,
    createSession(options) {
      const session = runtime.createSession(options);
      return {
        ...bound(session),
        compile: (fn, compileOptions) => session.compile(fn, { ...compileOptions, xla: false }),
      };
    },
  };
}

/** @param onEvent sees every event, and may ask to stop */
export async function testEnvironment(onEvent?: (event: JobEvent, stop: () => void) => void): Promise<TestEnvironment> {
  const events: JobEvent[] = [];
  const stop = { requested: false };
  return {
    runtime: await runtimeWithoutXla(),
    events,
    stop,
    emit(event) {
      events.push(event);
      onEvent?.(event, () => (stop.requested = true));
    },
    now: () => Date.now(),
    yieldToEventLoop: async () => undefined,
  };
}

/** A slot that keeps what a disk would: a deep copy. */
export function memorySlot(): CheckpointSlot & { saved: Checkpoint | null } {
  return {
    saved: null,
    async latest() {
      return this.saved;
    },
    async save(checkpoint) {
      this.saved = structuredClone(checkpoint);
    },
  };
}

/** Text with structure a small model learns in a hundred steps: three words in a fixed order, with noise between. */
export function patternTokens(length: number, vocabSize = 8): TokenSource {
  const words = [
    [1, 2, 3],
    [4, 5],
    [6, 7, 2, 1],
  ];
  const ids: number[] = [];
  for (let i = 0; ids.length < length; i++) {
    ids.push(...(words[i % 3] ?? []), (i * i) % Math.min(3, vocabSize));
  }
  return tokensInMemory(ids.slice(0, length));
}

export const tinyModel: GPTConfig = {
  block_size: 16,
  vocab_size: 8,
  n_layer: 2,
  n_head: 2,
  n_embd: 16,
  dropout: 0,
  bias: true,
  mode: 'generator',
  reward_head_hidden_dim: 16,
};

/** The same in Llama's family: two heads that share keys and values, and a head of its own. */
export const tinyLlama: GPTConfig = {
  ...tinyModel,
  bias: false,
  architecture: 'llama',
  llama: {
    ...{ n_kv_head: 1, head_dim: 8, n_inner: 40, norm_epsilon: 1e-5, rope_theta: 10000, max_positions: 64 },
    ...{ tied_head: false, qk_norm: false, attention_bias: 'none' },
  },
};

/** The same in the modern architecture, as it begins from nothing. */
export const tinyModern: GPTConfig = { ...tinyModel, bias: false, architecture: 'modern' };

/** Scores bounded so closely that it matters. */
export const boundedModern: GPTConfig = {
  ...tinyModern,
  modern: {
    ...{ n_kv_head: 2, head_dim: 8, n_inner: 64, norm_epsilon: 1e-6, rope_theta: 10000, max_positions: 64 },
    ...{ tied_head: false, logit_cap: 2 },
  },
};

export function tinyConfig(changes: Partial<ProjectConfig> = {}): ProjectConfig {
  return projectConfigSchema.parse({
    ...tinyModel,
    batch_size: 8,
    max_iters: 60,
    eval_interval: 20,
    eval_iters: null,
    learning_rate: 1e-2,
    min_lr: 1e-3,
    warmup_iters: 5,
    log_interval: 10,
    samples_per_chunk: 2,
    reward_train_samples: 64,
    reward_val_samples: 32,
    reward_max_iters: 120,
    grpo_max_steps: 4,
    group_size: 4,
    prompts_per_step: 2,
    grpo_eval_prompts: 8,
    max_cycles: 2,
    seed: 7,
    ...changes,
  });
}

/** Names, shapes and bytes as one hash: equal hashes are equal weights. */
export function hashOf(arrays: NamedArrays): string {
  const hash = createHash('sha256');
  for (const [name, { shape, data }] of Object.entries(arrays).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${name}:${shape.join(',')}`).update(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest('hex');
}

/** Samples that are easy to distinguish: natural tokens are 0 to 3, generated ones 4 to 7. */
export function crossingSamples(blockSize: number, count: number, stream: number): RewardSamples {
  const crossovers = Array.from({ length: count }, (_, row) => 1 + uniformInt(1, stream, row, 0, blockSize - 1));
  const rows = crossovers.map((k, row) =>
    Array.from({ length: blockSize }, (_, i) => uniformInt(1, stream, row, i + 1, 4) + (i >= k ? 4 : 0)),
  );
  return samplesInMemory(
    blockSize,
    rows,
    crossovers.map((k) => k / blockSize),
  );
}

/** Samples held in memory. */
export function samplesInMemory(
  blockSize: number,
  x: readonly number[][],
  fractions: readonly number[],
): RewardSamples {
  const ids = Uint16Array.from(x.flat());
  const targets = Float32Array.from(fractions.flatMap((fraction) => [fraction, 1 - fraction]));
  return {
    numSamples: fractions.length,
    blockSize,
    x: (first, count) => ids.slice(first * blockSize, (first + count) * blockSize),
    y: (first, count) => targets.slice(first * 2, (first + count) * 2),
  };
}
