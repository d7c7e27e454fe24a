/**
 * The project that the crash tests interrupt: two cycles, every phase of more than one step, and small enough to run
 * from beginning to end in about a second. What it ends with is compared byte by byte.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { projectCommandShape, trainCommandShape, type TrainCommand } from '../../shared/config/commands.js';
import { WRITING_BATCH } from '../../shared/config/reward-data.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import type { ProjectRequest } from '../../main/jobs/project/project.js';

/** From nothing; from a model that can write, with adapters; from nothing under such a model as its critic. */
export const crashKinds = ['scratch', 'adapted', 'taught'] as const;
export type CrashKind = (typeof crashKinds)[number];

const small = { n_layer: 1, n_head: 2, n_embd: 16, dropout: 0.1 };
/** @param model a folder with one that can write */
const settingsOf = (model: string, tokenizer_path: string): Readonly<Record<CrashKind, object>> => ({
  scratch: { ...small, tokenization: 'pretrained', tokenizer_path },
  adapted: { init_from: model, tune: 'lora', reward_kind: 'head' },
  taught: {
    ...{ ...small, critic_from: model, tokenization: 'shared', vocab: 300 },
    ...{ reward_kind: 'critic', reward_shape: 'expected_log_ratio', num_iterations: 2 },
    ...{ ptx_coef: 1, ptx_batch_size: 4, ptx_targets: 'critic' },
  },
});

/** What `verisim cycle` would be given. */
export function crashProject(folder: string, text: string, model: string, kind: CrashKind): ProjectRequest {
  const given = {
    ...{ project: folder, data_path: text, preset: 'none', threads: 1, device: 'cpu' },
    ...{ block_size: 8, batch_size: 4, lr_schedule: 'linear' },
    ...{ max_iters: 12, eval_interval: 4, log_interval: 2, eval_iters: 2, warmup_iters: 2 },
    ...{ samples_per_chunk: 1, reward_train_samples: WRITING_BATCH + 8, reward_val_samples: 8 },
    ...{ reward_max_iters: 8, reward_learning_rate: 0.003 },
    ...{ max_cycles: 2, cycle_patience: 9, group_size: 4, prompts_per_step: 2, grpo_max_steps: 4 },
    ...{ grpo_eval_prompts: 8, grpo_learning_rate: 0.001, kl_cap: 100 },
    ...settingsOf(model, join(dirname(text), 'tokenizer.json'))[kind],
  };
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return { folder, settings: z.object(projectCommandShape).parse(resolved.value), given };
}

/** What makes the model one that knows the text, so that it leads as a critic: `verisim train`. */
export function teacherSettings(model: string, text: string, to: string): TrainCommand {
  const given = {
    ...{ data_path: text, init_from: model, out_dir: to, preset: 'none', threads: 1, device: 'cpu' },
    ...{ max_iters: 80, eval_interval: 80, eval_iters: 2, batch_size: 16, block_size: 8 },
    ...{ learning_rate: 0.01, warmup_iters: 5 },
  };
  return z.object(trainCommandShape).parse(given);
}

/** Figures of the clock: how fast a machine was says nothing about what it computed. */
const wallClock = /^(seconds_\w+|tokens_per_second|mfu|at)$/;

function withoutClock(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutClock);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !wallClock.test(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutClock(inner)]));
}

/**
 * Every file of a finished project with the SHA-256 of its bytes; of JSON, the bytes without the clock's figures.
 * events.jsonl is left out: it records what happened, interruptions too. A manifest's hash of a file with clock figures
 * in it is one itself.
 */
export function fingerprint(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const name = relative(folder, file);
    if (entry.isDirectory() && readdirSync(file).length === 0) found[`${name}/`] = 'empty';
    if (!entry.isFile() || name === 'events.jsonl' || entry.name === 'manifest.json') continue;
    found[name] = createHash('sha256')
      .update(comparable(name, readFileSync(file), folder))
      .digest('hex');
  }
  return found;
}

function comparable(name: string, bytes: Buffer, folder: string): Buffer | string {
  // The specification's metadata names the file of the vocabulary, with its path.
  if (name.endsWith('_metadata.txt')) return bytes.toString().replaceAll(folder, '');
  if (name.endsWith('.json')) return JSON.stringify(withoutClock(JSON.parse(bytes.toString())));
  if (!name.endsWith('.jsonl')) return bytes;
  const lines = bytes.toString().split('\n');
  return lines.map((line) => (line === '' ? '' : JSON.stringify(withoutClock(JSON.parse(line))))).join('\n');
}

/** In words, where two fingerprints differ; empty when they are the same. */
export function differences(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(found), ...Object.keys(wanted)])].sort();
  return names.flatMap((name) => {
    if (found[name] === wanted[name]) return [];
    return [
      found[name] === undefined
        ? `${name} is missing`
        : wanted[name] === undefined
          ? `${name} is too many`
          : `${name} differs`,
    ];
  });
}
