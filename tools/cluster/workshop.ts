/** What every check of several ranks has in common: a small run, what it loses, and how it is brought to its end. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines, smallest, writeText } from '../../tests/cli/program.js';
import { startRanks, type Ended, type Started } from './start.js';

export const STEPS = 50;
/** Of losses, against one process. */
const TOLERANCE = 1e-5;
/** Seconds that a rank is waited for. */
export const PATIENCE = 20;

export interface Workshop {
  readonly folder: string;
  /** The words of `train` for the run that is kept under this name. */
  args(out: string): readonly string[];
  close(): void;
}

export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-cluster-'));
  const settings = [
    ...['train', ...smallest, '--data_path', writeText(folder), '--dropout', '0.1', '--warmup_iters', '2'],
    ...['--log_interval', '1', '--max_iters', String(STEPS), '--eval_interval', '10', '--patience', '1000'],
    ...['--gradient_accumulation_steps', '6', '--cluster_timeout', String(PATIENCE)],
  ];
  return {
    folder,
    args: (out) => [...settings, '--out_dir', join(folder, out)],
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const finished = (started: readonly Started[]) => Promise.all(started.map(({ ended }) => ended));

/** @throws Error when a rank of these has not ended well, or has other weights than the others */
export function mustHaveEnded(outcomes: readonly Ended[], size: number): void {
  const bad = outcomes.find(({ code, output }) => code !== 0 || output.includes('has not the same'));
  if (bad) throw new Error(`${size} ranks: code ${bad.code}\n${bad.output}`);
  const says = (words: string) => outcomes.some(({ output }) => output.includes(words));
  // What an earlier start has finished is not trained again, nor compared.
  if (size > 1 && !says(`All ${size} ranks have the same`) && !says('holds the result of this very run'))
    throw new Error(`rank 0 of ${size} does not say whether weights are the same:\n${outcomes[0]?.output}`);
}

/** Takes the run to its end. @returns how long it took @throws Error when a rank has not ended well, or other weights */
export async function finish({ args }: Workshop, out: string, size: number): Promise<number> {
  const outcomes = await finished(await startRanks(size, (rank) => args(rank === 0 ? out : `${out}-away`)));
  mustHaveEnded(outcomes, size);
  return Math.max(...outcomes.map(({ seconds }) => seconds));
}

interface Metrics {
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

export type Losses = ReadonlyMap<number, number>;

/** The loss of every step. */
export function lossesOf({ folder }: Workshop, out: string): Losses {
  const rows = jsonLines(readFileSync(join(folder, out, 'metrics.jsonl'), 'utf8')) as unknown as readonly Metrics[];
  return new Map(rows.flatMap(({ step, values: { loss } }) => (loss === undefined ? [] : [[step, loss] as const])));
}

/** The largest difference of a step's loss. @throws Error when it is more than the tolerance, or a step is not there */
export function differenceFrom(reference: Losses, found: Losses): number {
  if (reference.size < STEPS) throw new Error(`${reference.size} steps of ${STEPS} have a loss`);
  const largest = Math.max(...[...reference].map(([step, loss]) => Math.abs((found.get(step) ?? Infinity) - loss)));
  if (largest < TOLERANCE) return largest;
  throw new Error(`losses differ by ${largest}`);
}

export const weightsHash = ({ folder }: Workshop, out: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, out, 'model/weights.safetensors')))
    .digest('hex');
