/**
 * The check of a GPU, as `npm run gpu-check` packs it (pack.mjs): adapter and limits, products, parity with the processor, memory over
 * many steps, a killed and resumed run, and speed next to this machine's PyTorch. docs/benchmarks.md records what it prints.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as tf from '@tensorflow/tfjs';
import { trainConfigSchema } from '../../shared/config/train.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { selectWebgpu } from '../../main/engine/runtime/backends/webgpu.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { takeNumber } from '../../main/engine/runtime/reading.js';
import { trainBase } from '../../main/engine/train/train.js';
import { nothingKept, type CheckpointSlot, type Environment } from '../../main/engine/types.js';
import { createCheckpointSlot } from '../../main/storage/projects/checkpoint-store.js';
import { bench } from '../bench/index.js';
import { environmentOf, randomTokens } from '../bench/engine/environment.js';
import { workOf } from '../bench/shapes.js';

const usage = `sh run.sh [--steps N] [--no-bench]
  --steps N   steps whose memory is measured (default 2000)
  --no-bench  nothing next to PyTorch, which takes minutes`;

const tiny = workOf('train_step', 'tiny', { precision: 'f32', threads: 1, quick: true });
const small: GPTConfig = { ...tiny.model, n_layer: 2, n_embd: 32, n_head: 2, block_size: 16 };

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Largest product, and the seconds after which no larger one is tried. */
const LARGEST = 4096;
const ENOUGH_SECONDS = 0.5;
const PRODUCTS = 4;

/** Prints the rate of square products, each next to the largest difference from ones known beforehand. */
async function multiply(): Promise<void> {
  for (let size = 256; size <= LARGEST; size *= 2) {
    const a = tf.fill([size, size], 1 / size);
    const run = async () => {
      const product = tf.tidy(() => {
        let x: tf.Tensor = a;
        for (let at = 0; at < PRODUCTS; at++) x = tf.matMul(x, a);
        return tf.max(tf.abs(tf.sub(x, 1 / size)));
      });
      return takeNumber(product);
    };
    await run();
    const startedAt = performance.now();
    const difference = await run();
    const took = (performance.now() - startedAt) / 1000;
    a.dispose();
    const rate = (PRODUCTS * 2 * size ** 3) / took / 1e9;
    print(`products of ${size}: ${rate.toFixed(0)} GFLOP/s, wrong by ${(difference * size).toExponential(1)}`);
    if (took > ENOUGH_SECONDS) return;
  }
}

interface Training {
  readonly model: GPTConfig;
  readonly steps: number;
  readonly env: Environment;
  readonly slot?: CheckpointSlot;
  /** Steps between checkpoints. */
  readonly interval?: number;
  onStep?(step: number): void;
}

/** Trains from scratch on random tokens. @returns the loss of each step and the weights */
async function train({ model, steps, env, slot = nothingKept, interval = steps, onStep }: Training) {
  const tokens = randomTokens(20_000, model.vocab_size);
  const losses: number[] = [];
  const lasting = { max_iters: steps, eval_interval: interval, eval_iters: 1, log_interval: 1 };
  const { weights } = await trainBase({
    model,
    train: trainConfigSchema.parse({ ...lasting, batch_size: tiny.batch, learning_rate: 1e-3, beta2: 0.99 }),
    ...{ trainTokens: tokens, valTokens: tokens, seed: 1, slot, measuredTokens: model.block_size },
    env: {
      ...env,
      emit(event) {
        if (event.event !== 'metrics') return;
        const { loss } = event.values;
        if (typeof loss === 'number') losses.push(loss);
        onStep?.(event.step);
      },
    },
  });
  return { losses, weights };
}

const webgpu = async () => environmentOf(await loadRuntime({ bindingPath: null, device: 'webgpu' }));

async function compareWithProcessor(): Promise<void> {
  const measure = async (env: Environment) => (await train({ model: small, steps: 20, env })).losses;
  const expected = await measure(environmentOf(await loadRuntime({ bindingPath: null, device: 'cpu' })));
  const found = await measure(await webgpu());
  const difference = Math.max(...expected.map((loss, step) => Math.abs(loss - (found[step] ?? NaN))));
  print(`losses of 20 steps: at most ${difference.toExponential(1)} from WASM's on the processor`);
  if (!(difference < 1e-3)) throw new Error('the losses are not those of the processor');
}

async function watchMemory(steps: number): Promise<void> {
  const held: number[] = [];
  const startedAt = performance.now();
  const onStep = () => {
    held.push((tf.memory() as unknown as { readonly numBytesAllocatedInGPU: number }).numBytesAllocatedInGPU);
  };
  await train({ model: tiny.model, steps, env: await webgpu(), onStep });
  const [early = NaN, last = NaN] = [held[Math.floor(steps / 20)], held.at(-1)];
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  print(`memory over ${steps} steps of tiny: ${mebibytes(early)} to ${mebibytes(last)} MiB, in ${seconds(startedAt)}`);
  if (last > 1.05 * early) throw new Error('memory grows');
}

const RESUMED = { steps: 30, interval: 10, killedAt: 15 } as const;

/** Runs in a process of its own, which is killed: trains with checkpoints in a folder, and prints its steps and weights. */
async function trainIn(folder: string): Promise<number> {
  const { weights } = await train({
    ...{ model: small, steps: RESUMED.steps, interval: RESUMED.interval, env: await webgpu() },
    slot: createCheckpointSlot(folder),
    onStep: (step) => print(String(step)),
  });
  const sum = Object.values(weights).map(({ data }) => Array.from(data.subarray(0, 64)));
  print(JSON.stringify(sum));
  return 0;
}

/** Runs it, killed at a step if one is given. @returns its last line */
function trainElsewhere(folder: string, killedAt = Infinity): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'train', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let last = '';
    createInterface(child.stdout).on('line', (line) => {
      last = line;
      if (Number(line) === killedAt) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 || killedAt < Infinity) resolve(last);
      else reject(new Error(`the training process ended with code ${String(code)}`));
    });
  });
}

async function killAndResume(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-gpu-check-'));
  try {
    const whole = await trainElsewhere(join(folder, 'whole'));
    const killed = await trainElsewhere(join(folder, 'killed'), RESUMED.killedAt);
    const resumed = await trainElsewhere(join(folder, 'killed'));
    if (killed.startsWith('[')) throw new Error('the run ended before it was killed');
    print(`killed at step ${killed} and resumed: ${resumed === whole ? 'the same numbers' : 'other numbers'}`);
    if (resumed !== whole) throw new Error('a resumed run is another');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param root the folder that holds tools/bench/peers */
async function checkGpu(root: string, args: readonly string[]): Promise<number> {
  const [command, folder = ''] = args;
  if (command === 'train') return trainIn(folder);
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ steps: { type: 'string', default: '2000' }, help: { type: 'boolean', default: false } },
      'no-bench': { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const gpu = await selectWebgpu();
  print(`adapter: ${gpu.name}; arrays of at most ${(gpu.most / 2 ** 20).toFixed(0)} MiB`);
  let failures = 0;
  for (const part of [multiply, compareWithProcessor, () => watchMemory(Number(values.steps)), killAndResume]) {
    try {
      await part();
    } catch (error) {
      failures++;
      print(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (values['no-bench']) return failures;
  const measures = ['--only', 'train_step,generate,grpo_step', '--shape', 'tiny,baby,smollm2,smollm2-lora'];
  const benchArgs = ['--device', 'webgpu', '--peers', '--quick', '--precision', 'f32', ...measures];
  return failures + (await bench(root, benchArgs));
}

process.exit(await checkGpu(join(fileURLToPath(import.meta.url), '../..'), process.argv.slice(2)));
