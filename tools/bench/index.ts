/**
 * `npm run bench`: measures the engine, with `--peers` beside PyTorch, transformers and TRL, and prints one table; with
 * `--json FILE` it writes one file. docs/benchmarks.md says what each row means. Started by run.mjs, which bundles it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupProblem } from '../../scripts/setup/report.mjs';
import type { Command } from './contender.js';
import { multipliesBfloat16 } from '../../main/engine/runtime/processor.js';
import { describeMachine } from './machine.js';
import { parseOptions, usage, UsageError, type BenchOptions } from './options.js';
import { peerCommand, peersPython } from './peers.js';
import { planRotations, type Contestant } from './plan.js';
import { rotate } from './rotate.js';
import { resultSchema, rowOf, type BenchResult, type Row } from './rows.js';
import { rowTable } from './table.js';

/** Above this share of the processor, other programs decide the figures. */
const QUIET = 0.05;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const keyOf = ({ measure, shape, precision, contender, variant }: Row) =>
  [measure, shape, precision, contender, variant].join();

/** What an earlier run wrote, to be added to. */
function earlierResult({ json, keep }: BenchOptions): BenchResult | null {
  return json !== null && keep && existsSync(json) ? resultSchema.parse(JSON.parse(readFileSync(json, 'utf8'))) : null;
}

/** Rows of this run, and those of an earlier one that it did not measure again. */
function withEarlier(rows: readonly Row[], earlier: readonly Row[]): Row[] {
  const measured = new Set(rows.map(keyOf));
  return [...earlier.filter((row) => !measured.has(keyOf(row))), ...rows];
}

/** The same rows of several rotations as one: the peak is measured in each. */
function merged(rows: readonly Row[]): Row[] {
  const peaks = rows
    .filter(({ measure }) => measure === 'matmul_peak')
    .map((row) => ({ ...row, shape: 'tiny' as const }));
  const whole = [...new Set(peaks.map(keyOf))].flatMap((key) => {
    const same = peaks.filter((row) => keyOf(row) === key);
    const [first] = same;
    if (!first) return [];
    const { measure, precision, contender, variant, work, gflop, other_load: otherLoad } = first;
    const samples = same.flatMap((row) => row.samples).map((ms) => ({ ms }));
    const flops = gflop === undefined ? null : gflop * 1e9;
    return [rowOf({ measure, shape: 'tiny', precision, contender, variant, work }, samples, { otherLoad, flops })];
  });
  return [...rows.filter(({ measure }) => measure !== 'matmul_peak'), ...whole];
}

async function main(root: string, args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  const threads = options.threads ?? availableParallelism();
  const precisions = options.precisions ?? (multipliesBfloat16() ? (['f32', 'bf16'] as const) : (['f32'] as const));
  const rotations = planRotations(options, { threads, precisions });
  const python = options.peers ? await peersPython(root, options.python, say) : null;
  // As in the product what XLA compiled is kept on the disk; here from the first repeat of this run on.
  const compiled = mkdtempSync(join(tmpdir(), 'verisim-bench-'));
  process.on('exit', () => {
    rmSync(compiled, { recursive: true, force: true });
  });
  const own: Command = {
    program: process.execPath,
    args: ['--enable-source-maps', join(dirname(fileURLToPath(import.meta.url)), 'worker.js')],
    env: { ...process.env, VERISIM_BENCH_COMPILED: compiled },
  };
  const commandOf = ({ contender }: Contestant): Command =>
    contender === 'verisim' || python === null ? own : peerCommand(root, python);

  const machine = describeMachine(threads);
  say(
    `${machine.processor}, ${machine.cores} cores, ${machine.threads} threads, load ${machine.load_average.toFixed(1)}`,
  );
  const rows: Row[] = [];
  const failures: string[] = [];
  const peaks: Record<string, number> = {};
  let versions: Record<string, string> = { node: process.versions.node };
  const earlier = earlierResult(options);
  const result = (): BenchResult =>
    resultSchema.parse({
      machine: {
        ...machine,
        versions: { ...earlier?.machine.versions, ...versions },
        matmul_peak_gflops: { ...earlier?.machine.matmul_peak_gflops, ...peaks },
      },
      rows: withEarlier(merged(rows), earlier?.rows ?? []),
      failures,
    });

  for (const rotation of rotations) {
    const measures = [...new Set(rotation.contestants.map(({ measure }) => measure))];
    say(`${measures[0] ?? ''}, ${rotation.shape}, ${rotation.precision}`);
    const budgetMs = options.quick ? 10_000 : 60_000;
    const done = await rotate(rotation, { commandOf, repeats: options.repeats, budgetMs, say });
    rows.push(...done.rows);
    failures.push(...done.failures);
    versions = { ...versions, ...done.versions };
    const peak = done.peakGflops;
    if (peak !== undefined) peaks[rotation.precision] = Math.max(peaks[rotation.precision] ?? 0, peak);
    say(rowTable(done.rows));
    for (const failure of done.failures) say(`  FAILED ${failure}`);
    const busy = done.rows[0]?.other_load ?? 0;
    if (busy > QUIET)
      say(`  Other programs used ${Math.round(100 * busy)} % of the processor: measure again on a quiet machine.`);
    // After each rotation: a long run that is interrupted has not been for nothing.
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(result(), null, 1)}\n`);
  }
  const { rows: all } = result();
  process.stdout.write(`\n${rowTable(all)}\n`);
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
    if (error instanceof UsageError) say(`${error.message}\n\n${usage}`);
    else if (error instanceof SetupProblem) say(error.line);
    else throw error;
    return error instanceof UsageError ? 2 : 1;
  }
}
