/**
 * `npm run cluster`: `--parity`: 1, 2, 3 and 4 ranks take the same 50 steps; `--kills N`: a random rank is killed at a random
 * moment; `--cuts N`: one is cut off from the network (in namespaces, as root). After each the run is resumed by any number.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines, smallest, writeText } from '../../tests/cli/program.js';
import { createRandom } from '../../tests/crash/harness.js';
import { loopback, openNetwork, startRanks, type Place, type Started } from './start.js';

const usage = 'npm run cluster -- [--parity] [--kills N] [--cuts N] [--seed S]';
const STEPS = 50;
/** Of losses, against one process. */
const TOLERANCE = 1e-5;
/** Seconds that a rank is waited for; ranks that are left have to end in this and some more for starting and ending. */
const PATIENCE = 20;
const MORE = 40;

function parse(args: readonly string[]) {
  const options = { parity: false, kills: 0, cuts: 0, seed: Date.now() % 2 ** 32 };
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', number] = [args[at], Number(args[at + 1])];
    if (name === '--parity') options.parity = true;
    else if (['--kills', '--cuts', '--seed'].includes(name) && Number.isSafeInteger(number) && number >= 0) {
      options[name.slice(2) as 'kills' | 'cuts' | 'seed'] = number;
      at += 1;
    } else return null;
  }
  return options.parity || options.kills + options.cuts > 0 ? options : null;
}

interface Workshop {
  readonly folder: string;
  args(out: string): readonly string[];
}

function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-cluster-'));
  const settings = [
    ...['train', ...smallest, '--data_path', writeText(folder), '--dropout', '0.1', '--warmup_iters', '2'],
    ...['--log_interval', '1', '--max_iters', String(STEPS), '--eval_interval', '10', '--patience', '1000'],
    ...['--gradient_accumulation_steps', '6', '--cluster_timeout', String(PATIENCE)],
  ];
  return { folder, args: (out) => [...settings, '--out_dir', join(folder, out)] };
}

const finished = (started: readonly Started[]) => Promise.all(started.map(({ ended }) => ended));

/** Takes the run to its end. @returns how long it took @throws Error when a rank has not ended well, or other weights */
async function finish({ args }: Workshop, out: string, size: number): Promise<number> {
  const outcomes = await finished(await startRanks(size, (rank) => args(rank === 0 ? out : `${out}-away`)));
  const bad = outcomes.find(({ code, output }) => code !== 0 || output.includes('has not the same'));
  if (bad) throw new Error(`${size} ranks in ${out}: code ${bad.code}\n${bad.output}`);
  if (size > 1 && !outcomes[0]?.output.includes(`All ${size} ranks have the same trained weights`))
    throw new Error(`rank 0 of ${size} does not say whether weights are the same:\n${outcomes[0]?.output}`);
  return Math.max(...outcomes.map(({ seconds }) => seconds));
}

interface Metrics {
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

/** The loss of every step. */
function lossesOf({ folder }: Workshop, out: string): ReadonlyMap<number, number> {
  const rows = jsonLines(readFileSync(join(folder, out, 'metrics.jsonl'), 'utf8')) as unknown as readonly Metrics[];
  return new Map(rows.flatMap(({ step, values: { loss } }) => (loss === undefined ? [] : [[step, loss] as const])));
}

/** The largest difference of a step's loss. @throws Error when it is more than the tolerance, or a step is not there */
function differenceFrom(reference: ReadonlyMap<number, number>, found: ReadonlyMap<number, number>): number {
  if (reference.size < STEPS) throw new Error(`${reference.size} steps of ${STEPS} have a loss`);
  const largest = Math.max(...[...reference].map(([step, loss]) => Math.abs((found.get(step) ?? Infinity) - loss)));
  if (largest < TOLERANCE) return largest;
  throw new Error(`losses differ by ${largest}`);
}

const weightsHash = ({ folder }: Workshop, out: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, out, 'model/weights.safetensors')))
    .digest('hex');

async function parity(workshop: Workshop, reference: ReadonlyMap<number, number>): Promise<void> {
  for (const size of [2, 3, 4]) {
    const twice = [`${size}-a`, `${size}-b`] as const;
    for (const out of twice) await finish(workshop, out, size);
    const difference = differenceFrom(reference, lossesOf(workshop, twice[0]));
    const [first, again] = twice.map((out) => weightsHash(workshop, out));
    if (first !== again) throw new Error(`${size} ranks made other weights the second time`);
    console.log(
      `${size} ranks: ${STEPS} losses within ${difference.toExponential(1)} of one process, one hash of all ranks, twice the same bytes`,
    );
  }
}

interface Fault {
  readonly place: Place;
  strike(started: readonly Started[], rank: number): void;
  mend(rank: number): void;
}

/** One strike at a run that begins or is resumed. @returns the codes of those that were not struck */
async function strikeOnce({ args }: Workshop, out: string, fault: Fault, random: () => number, usual: number) {
  const size = 2 + Math.floor(random() * 2);
  const struck = Math.floor(random() * size);
  const started = await startRanks(size, (rank) => args(rank === 0 ? out : `${out}-away`), fault.place);
  await new Promise((resolve) => setTimeout(resolve, random() * usual * 1000));
  fault.strike(started, struck);
  let isHung = false;
  const limit = setTimeout(
    () => {
      isHung = true;
      started.forEach(({ child }) => child.kill('SIGKILL'));
    },
    (PATIENCE + MORE) * 1000,
  );
  const began = performance.now();
  const outcomes = await finished(started);
  clearTimeout(limit);
  fault.mend(struck);
  const others = outcomes.filter((_, rank) => rank !== struck);
  const wrong = others.find(({ code }) => code !== 75 && code !== 0);
  if (isHung || wrong)
    throw new Error(
      `rank ${struck} of ${size}: ${isHung ? 'hung' : 'wrong end'}\n${outcomes.map(({ code, output }) => `${code}\n${output}`).join('\n')}`,
    );
  return { codes: others.map(({ code }) => code), seconds: (performance.now() - began) / 1000 };
}

async function faults(
  workshop: Workshop,
  reference: ReadonlyMap<number, number>,
  { name, count, seed, usual }: { name: string; count: number; seed: number; usual: number },
  fault: Fault,
): Promise<void> {
  const random = createRandom(seed);
  let [largest, longest, early, runs] = [0, 0, 0, 0];
  for (let done = 0; done < count; runs += 1) {
    const out = `${name}-${runs}`;
    for (let more = 1 + Math.floor(random() * 3); more > 0 && done < count; more -= 1) {
      const { codes, seconds } = await strikeOnce(workshop, out, fault, random, usual);
      longest = Math.max(longest, seconds);
      if (codes.every((code) => code === 0)) early += 1;
      done += 1;
    }
    await finish(workshop, out, 1 + Math.floor(random() * 3));
    largest = Math.max(largest, differenceFrom(reference, lossesOf(workshop, out)));
    console.log(
      `${done} of ${count} ${name}: ${runs + 1} runs finished, losses within ${largest.toExponential(1)}, all ended in ${longest.toFixed(1)} s, ${early} struck after the end`,
    );
  }
}

async function cutting(run: (fault: Fault) => Promise<void>): Promise<void> {
  const network = openNetwork(3);
  try {
    await run({
      place: network.place,
      strike: (_, rank) => network.cut(rank, true),
      mend: (rank) => network.cut(rank, false),
    });
  } finally {
    network.close();
  }
}

const killing: Fault = {
  place: loopback,
  strike: (started, rank) => started[rank]?.child.kill('SIGKILL'),
  mend: () => undefined,
};

/** @returns the exit code */
export async function cluster(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === null) {
    console.error(usage);
    return 2;
  }
  const { kills, cuts, seed } = options;
  const workshop = openWorkshop();
  try {
    console.log(`seed ${seed}`);
    await finish(workshop, 'one', 1);
    const reference = lossesOf(workshop, 'one');
    if (options.parity) await parity(workshop, reference);
    const usual = kills + cuts > 0 ? await finish(workshop, 'usual', 2) : 0;
    if (kills > 0) await faults(workshop, reference, { name: 'kills', count: kills, seed, usual }, killing);
    if (cuts > 0)
      await cutting((fault) => faults(workshop, reference, { name: 'cuts', count: cuts, seed, usual }, fault));
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    rmSync(workshop.folder, { recursive: true, force: true });
  }
}
