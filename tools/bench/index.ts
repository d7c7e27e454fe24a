/**
 * `npm run bench`: measures the engine, with `--peers` next to PyTorch, transformers and TRL, and prints one table
 * (docs/benchmarks.md). run.mjs bundles and starts it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupProblem } from '../../scripts/setup/report.mjs';
import type { Command } from './contender.js';
import { multipliesBfloat16 } from '../../main/engine/runtime/processor.js';
import { describeMachine } from './machine.js';
import { parseOptions, usage, UsageError } from './options.js';
import { peerCommand, peersPython } from './peers.js';
import { ON_PROCESSOR, planRotations, type Contestant } from './plan.js';
import { rotate } from './rotate.js';
import { resultSchema, rowTable, type Row } from './rows.js';

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function main(root: string, args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  const threads = options.threads ?? availableParallelism();
  const precisions = options.precisions ?? (multipliesBfloat16() ? (['f32', 'bf16'] as const) : (['f32'] as const));
  const rotations = planRotations(options, { threads, precisions });
  const python = options.peers ? await peersPython(root, report) : null;
  // Compiled functions are stored on the disk, as in the product, but only for this run.
  const compiled = mkdtempSync(join(tmpdir(), 'verisim-bench-'));
  process.on('exit', () => {
    rmSync(compiled, { recursive: true, force: true });
  });
  const own: Command = {
    program: process.execPath,
    args: ['--enable-source-maps', join(dirname(fileURLToPath(import.meta.url)), 'worker.js')],
    env: { ...process.env, VERISIM_BENCH_COMPILED: compiled, VERISIM_BENCH_DEVICE: options.device },
  };
  const peerDevice = options.device === 'cpu' ? 'cpu' : 'cuda';
  const commandOf = ({ contender, variant }: Contestant): Command =>
    contender === 'verisim' || python === null
      ? own
      : peerCommand(root, python, variant === ON_PROCESSOR ? 'cpu' : peerDevice);

  const machine = describeMachine(threads);
  report(`${machine.processor}, ${machine.cores} cores, ${threads} threads, load ${machine.load_average.toFixed(1)}`);
  const rows: Row[] = [];
  const failures: string[] = [];
  let versions: Record<string, string> = { node: process.versions.node };
  for (const rotation of rotations) {
    report(`${rotation.contestants[0]?.measure ?? ''}, ${rotation.shape}, ${rotation.precision}`);
    const budgetMs = options.quick ? 10_000 : 60_000;
    const done = await rotate(rotation, { commandOf, repeats: options.repeats, budgetMs, report });
    rows.push(...done.rows);
    failures.push(...done.failures);
    versions = { ...versions, ...done.versions };
    report(rowTable(done.rows));
    for (const failure of done.failures) report(`  FAILED ${failure}`);
    // After each rotation, so that an interrupted run has a result.
    const result = resultSchema.parse({ machine: { ...machine, versions }, rows, failures });
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(result, null, 1)}\n`);
  }
  process.stdout.write(`\n${rowTable(rows)}\n`);
  return failures.length > 0 ? 1 : 0;
}

/** @param root the checkout */
export async function bench(root: string, args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  try {
    return await main(root, args);
  } catch (error) {
    if (error instanceof UsageError) report(`${error.message}\n\n${usage}`);
    else if (error instanceof SetupProblem) report(error.line);
    else throw error;
    return error instanceof UsageError ? 2 : 1;
  }
}
