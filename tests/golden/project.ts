/**
 * Makes the fixed small projects of golden.test.ts with the command line and hashes what they consist of.
 *
 * Compared: weights (names, types, shapes and bytes of all tensors), prepared tokens, vocabulary, reward data, predictions,
 * samples, completions, and the columns of metrics.jsonl that training computes. Not compared, because they repeat settings,
 * versions and times, which change without any change of a result: project.json, state.json, manifest.json, report.json,
 * circumstances.json, outcome.json, events.jsonl, run.json, train_metadata.txt, and columns that hold speeds or text statistics.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { processorAbilities } from '../../main/engine/runtime/processor.js';

export const kinds = ['critic', 'head'] as const;
export type Kind = (typeof kinds)[number];

const settings = [
  ...['--data_path', 'input.txt', '--tokenization', 'char', '--preset', 'nano', '--max_cycles', '2'],
  ...['--seed', '7', '--threads', '1', '--device', 'cpu'],
  ...[
    '--max_iters',
    '40',
    '--eval_interval',
    '20',
    '--eval_iters',
    '4',
    '--warmup_iters',
    '10',
    '--log_interval',
    '10',
  ],
  ...['--reward_train_samples', '128', '--reward_val_samples', '64', '--reward_max_iters', '20'],
  ...['--grpo_max_steps', '4', '--prompts_per_step', '2', '--group_size', '4', '--ptx_batch_size', '8'],
  ...['--judge_passages', '16'],
];

/** Pinned: other flags compile other arithmetic. These compile fastest. */
const XLA_FLAGS = [
  ...['--xla_backend_optimization_level=0', '--xla_cpu_use_fusion_emitters=false'],
  ...['--xla_cpu_parallel_codegen_split_count=1', '--xla_cpu_experimental_ynn_fusion_type='],
].join(' ');

/** Columns of metrics.jsonl that are results of training. */
const columns = new Set([
  ...['loss', 'val_loss', 'nats_per_character', 'val_perplexity', 'grad_norm', 'learning_rate', 'num_tokens'],
  ...['reward', 'reward_std', 'ptx_loss', 'kl', 'entropy', 'clip_ratio', 'beta', 'held_out_perplexity'],
  ...['judge_nats', 'judge_nats_prompted', 'natural_nats', 'judge_gain'],
]);

const words =
  'the whale sea and ship of a captain wind deep call me upon white harpoon Ahab old mate said water night café naïve no man was there'.split(
    ' ',
  );

/** Makes a text of 60,000 characters by a fixed formula (Numerical Recipes' generator), each word one of three after the previous one. */
function makeText(): string {
  let state = 7;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 16) % sides;
  };
  let text = '';
  let word = 0;
  while (text.length < 60_000) {
    const sentence = Array.from({ length: 4 + roll(9) }, () => {
      word = (word * 5 + 3 * roll(3) + 1) % words.length;
      return words[word] ?? '';
    }).join(' ');
    text += sentence.charAt(0).toUpperCase() + sentence.slice(1) + (['.', '.', '!', '?', ' — aye.'][roll(5)] ?? '.');
    text += ['\n', '\n\n', ' ', ' '][roll(4)] ?? ' ';
  }
  return `${text.trimEnd()}\n`;
}

const run = promisify(execFile);

/**
 * Makes the project `name` in `folder`.
 * @param program command line to run, dist/cli.js of any version
 */
export async function makeProject(program: string, folder: string, kind: Kind, name: string): Promise<string> {
  if (!existsSync(join(folder, 'input.txt'))) writeFileSync(join(folder, 'input.txt'), makeText());
  await run(process.execPath, [program, 'cycle', name, ...settings, '--reward_kind', kind], {
    cwd: folder,
    env: { ...process.env, XLA_FLAGS, NO_COLOR: '1', TZ: 'UTC' },
    maxBuffer: 2 ** 26,
  });
  return join(folder, name);
}

const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

/** Hashes every compared file of a project, by path. */
export function hashProject(project: string): Record<string, string> {
  const files = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  return Object.fromEntries(
    files.flatMap((file) => {
      const content = comparedContent(file, readFileSync(join(project, file)));
      return content === null ? [] : [[file, sha256(content)]];
    }),
  );
}

/** Extracts what is compared of a file; null for a record of settings, versions or times. */
function comparedContent(file: string, bytes: Uint8Array): Uint8Array | string | null {
  if (file.endsWith('.safetensors')) return describeTensors(bytes);
  if (/\.(bin|pkl)$/.test(file)) return bytes;
  const name = basename(file);
  if (name === 'metrics.jsonl') return rowsOf(bytes).map(comparedRow).join('\n');
  return ['samples.jsonl', 'completions.jsonl', 'reward_predictions.json'].includes(name) ? bytes : null;
}

/** Lists all tensors of a safetensors file with their hashes; its metadata is left out. */
function describeTensors(bytes: Uint8Array): string {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  const header = JSON.parse(Buffer.from(bytes.subarray(8, start)).toString()) as Record<string, TensorEntry>;
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => [name, dtype, shape.join('x'), sha256(bytes.subarray(start + from, start + to))].join(' '),
    )
    .sort()
    .join('\n');
}

interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

interface MetricsRow {
  readonly phase: string;
  readonly step: number;
  readonly cycle: number;
  readonly values: Readonly<Record<string, number>>;
}

const rowsOf = (bytes: Uint8Array): MetricsRow[] =>
  Buffer.from(bytes)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MetricsRow);

function comparedRow({ phase, step, cycle, values }: MetricsRow): string {
  const kept = Object.entries(values).filter(([column]) => columns.has(column));
  return JSON.stringify([phase, step, cycle, ...kept.sort(([one], [other]) => (one < other ? -1 : 1))]);
}

/** Reads the last held-out loss of base training, which hardly depends on the processor. */
export function baseLoss(project: string): number {
  const rows = rowsOf(readFileSync(join(project, 'cycles/00/metrics.jsonl')));
  return (
    rows.findLast(({ phase, values }) => phase === 'base_training' && 'val_loss' in values)?.values['val_loss'] ?? NaN
  );
}

/** Names the processor: another one may round differently, because XLA and Eigen choose instructions by its features. */
export function describeProcessor(): string {
  const features = processorAbilities() ?? '';
  return `${process.platform} ${process.arch}, ${cpus()[0]?.model ?? 'unknown'}, features ${sha256(features).slice(0, 16)}`;
}
