/**
 * `npm run soak`: trains for 10,000 steps as `verisim train` does, with evaluations, checkpoints and metrics on the disk,
 * and looks whether memory grows and what share of the time goes into saving. Takes some minutes; `--steps N` for fewer.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { z } from 'zod';
import { trainJob } from '../../main/jobs/commands/train.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { nodeFileOperations } from '../../main/storage/disk/file-operations.js';
import { findTensorflow } from '../../main/installation/locations.mjs';
import { trainCommandShape } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';

const usage = 'npm run soak -- [--steps N] [--preset none|tiny]';
/** What is loaded and grows to its size in the first steps is no leak. */
const SETTLED = 0.3;
/** Growth after that, as a straight line has it, which is still called flat: the allocator's, not a leak's. */
const FLAT_BYTES = 4 * 2 ** 20;

const smallest = { n_layer: 2, n_head: 2, n_embd: 32, block_size: 32, batch_size: 8 };

function settingsOf(folder: string, text: string, steps: number, preset: string) {
  const given = {
    out_dir: join(folder, 'out'),
    data_path: text,
    tokenization: 'char',
    preset,
    device: 'cpu',
    ...(preset === 'none' ? smallest : {}),
    max_iters: steps,
    patience: 1_000_000,
    eval_iters: 4,
  };
  const resolved = resolveSettings(trainCommandShape, given);
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return z.object(trainCommandShape).parse(resolved.value);
}

/** Time spent in file operations, which is all that saving does besides reading the weights and hashing them. */
function timeFiles(): { readonly milliseconds: () => number; readonly checkpoints: () => number } {
  let [spent, checkpoints] = [0, 0];
  for (const [name, action] of Object.entries(nodeFileOperations) as [string, (...args: unknown[]) => unknown][]) {
    Object.assign(nodeFileOperations, {
      [name]: (...args: unknown[]) => {
        if (name === 'rename' && /step-\d+$/.test(String(args[1]))) checkpoints += 1;
        const started = performance.now();
        try {
          return action(...args);
        } finally {
          spent += performance.now() - started;
        }
      },
    });
  }
  return { milliseconds: () => spent, checkpoints: () => checkpoints };
}

/** The slope of a straight line through points, by least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const [mx, my] = [0, 1].map((axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length) as [
    number,
    number,
  ];
  const top = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  const bottom = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  return top / bottom;
}

/** @returns the exit code */
export async function soak(args: readonly string[]): Promise<number> {
  const value = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const steps = Number(value('--steps') ?? 10_000);
  const preset = value('--preset') ?? 'none';
  if (!Number.isSafeInteger(steps) || steps < 100 || !['none', 'tiny'].includes(preset)) {
    console.error(usage);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'verisim-soak-'));
  try {
    const text = join(folder, 'text.txt');
    const words = ['the', 'whale', 'sea', 'and', 'ship', 'of', 'a', 'captain', 'wind.', 'Call', 'me', 'upon', 'deep,'];
    writeFileSync(
      text,
      Array.from({ length: 20_000 }, (_, i) => words[(i * i + 3 * i + (i >> 3)) % words.length]).join(' '),
    );
    const files = timeFiles();
    const memory: [step: number, bytes: number][] = [];
    const tensors = new Set<number>();
    let [evaluatedAt, saving] = [0, 0];
    const started = performance.now();
    await trainJob(settingsOf(folder, text, steps, preset), {
      emit(event) {
        if (event.event !== 'metrics') return;
        if ('val_loss' in event.values) evaluatedAt = performance.now(); // what follows is saving, when it is due
        else if (event.step % Math.max(1, Math.floor(steps / 200)) > 10) return;
        (globalThis as { gc?: () => void }).gc?.();
        memory.push([event.step, process.memoryUsage().rss]);
        if (event.step > steps * SETTLED) tensors.add(tf.memory().numTensors);
      },
      now: () => Date.now(),
      stop: { requested: false },
      // The first breath after an evaluation comes when the checkpoint is on the disk.
      async yieldToEventLoop() {
        if (evaluatedAt > 0) saving += performance.now() - evaluatedAt;
        evaluatedAt = 0;
        await new Promise((resolve) => setImmediate(resolve));
      },
      runtime: () => loadRuntime({ ...findTensorflow(), device: 'cpu' }),
    });
    const total = performance.now() - started;
    const settled = memory.filter(([step]) => step > steps * SETTLED);
    const growth = slope(settled);
    const flat = growth * steps * (1 - SETTLED) < FLAT_BYTES && tensors.size === 1;
    const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    console.log(`${steps} steps in ${(total / 1000).toFixed(1)} s`);
    console.log(
      `memory: ${megabytes(settled[0]?.[1] ?? NaN)} at step ${settled[0]?.[0]}, ${megabytes(settled.at(-1)?.[1] ?? NaN)} at step ${settled.at(-1)?.[0]}; ${growth.toFixed(1)} bytes a step, ${[...tensors].join(' or ')} tensors: ${flat ? 'flat' : 'IT GROWS'}`,
    );
    console.log(
      `saving: ${files.checkpoints()} checkpoints after ${Math.floor(steps / 250)} evaluations, ${((100 * saving) / total).toFixed(2)} % of the time with the step after each evaluation; all file operations ${((100 * files.milliseconds()) / total).toFixed(2)} %`,
    );
    return flat ? 0 : 1;
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}
