/**
 * How much of a step two ranks lose to each other at `baby`: the real program, a thread each, four batches of eight passages a step,
 * in two network namespaces with a gigabit between them. By the program's own metrics, over the whole run.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { jsonLines, writeText } from '../../tests/cli/program.js';
import { shape } from './link.js';
import { openNetwork, startRanks } from './start.js';
import { finished, mustHaveEnded, type Workshop } from './workshop.js';

const STEPS = 20;
/** The first ones compile, and meet the others. */
const ASIDE = 2;
const MEGABITS = 1000;
/** What the project wants at most. */
const MOST = 0.15;

const network = ['--n_layer', '6', '--n_head', '6', '--n_embd', '384', '--block_size', '256', '--tokenization', 'char'];
const steps = [
  ...['--batch_size', '8', '--gradient_accumulation_steps', '4', '--precision', 'f32', '--warmup_iters', '1'],
  ...['--max_iters', String(STEPS), '--eval_interval', String(STEPS), '--eval_iters', '1', '--log_interval', '1'],
  ...['--threads', '1', '--device', 'cpu'],
];

interface Row {
  readonly step: number;
  readonly seconds_computed?: number;
  readonly values: Readonly<Record<string, number>>;
}

/** @returns whether all of it was within what is wanted, with either kind of sums */
export async function babySteps(workshop: Workshop): Promise<boolean> {
  const text = writeText(workshop.folder, 20_000);
  let isWithin = true;
  for (const sums of ['f32', 'bf16'] as const) {
    const share = await lostShare(workshop, text, sums);
    isWithin &&= share <= MOST;
  }
  return isWithin;
}

/** The mean of both ranks' waiting, in the mean of all steps but the first. */
async function lostShare({ folder }: Workshop, text: string, sums: 'f32' | 'bf16'): Promise<number> {
  const namespaces = openNetwork(2);
  try {
    const [by] = [0, 1].map((rank) => shape(namespaces.place, rank, MEGABITS));
    const out = join(folder, `baby-${sums}`);
    const words = ['train', '--preset', 'none', ...network, '--data_path', text, ...steps];
    const run = await startRanks(2, () => [...words, '--cluster_sums', sums, '--out_dir', out], namespaces.place);
    mustHaveEnded(await finished(run), 2);
    const rows = (jsonLines(readFileSync(join(out, 'metrics.jsonl'), 'utf8')) as unknown as readonly Row[]).filter(
      ({ step, values: { waiting } }) => step > ASIDE && waiting !== undefined,
    );
    const of = (name: string) => rows.map(({ values }) => values[name] ?? NaN);
    const seconds = rows.map(({ seconds_computed = NaN }) => seconds_computed);
    const [shares, whole] = [of('waiting'), seconds.reduce((sum, one) => sum + one, 0)];
    const lost = shares.reduce((sum, share, at) => sum + share * (seconds[at] ?? NaN), 0);
    const sorted = [...shares].sort((a, b) => a - b);
    const inWords = (share = NaN) => `${(100 * share).toFixed(1)} %`;
    console.log(
      `baby, ${sums}, ${MEGABITS} Mbit/s (${by}), ${rows.length} steps of ${(whole / rows.length).toFixed(2)} s: ${inWords(lost / whole)} lost on average, ${inWords(sorted[Math.floor(sorted.length / 2)])} in the median step (${inWords(sorted[0])} to ${inWords(sorted.at(-1))}); who waits most ${inWords(Math.max(...of('waiting_most')))}; load ${loadavg()[0]?.toFixed(1)}`,
    );
    return lost / whole;
  } finally {
    namespaces.close();
  }
}
