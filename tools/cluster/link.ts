/** How long the sum of gradients takes over links of several speeds, beside what shared/costs/cluster.ts says. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchangeSeconds } from '../../shared/costs/cluster.js';
import { jsonLines, writeText } from '../../tests/cli/program.js';
import { freePort } from '../../tests/cluster/ranks.js';
import { loopback, openNetwork, startOne, startRanks, type Place } from './start.js';
import { finished, mustHaveEnded, type Workshop } from './workshop.js';

/** The weights of `baby`: 6 layers, 384 wide, 256 tokens, 65 characters. */
const NUMBERS = 10_770_816;
const TIMES = 6;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

interface Exchanged {
  /** Of each exchange, as rank 0 measured them. */
  readonly seconds: readonly number[];
  /** Of the processor, by all ranks together. */
  readonly computing: readonly number[];
}

async function exchanged(root: string, size: number, sums: 'f32' | 'bf16', place: Place): Promise<Exchanged> {
  const port = String(await freePort());
  const words = [String(NUMBERS), String(TIMES), sums, place === loopback ? 'loopback' : 'private'];
  const script = join(root, 'dist/cluster/exchange.js');
  const started = Array.from({ length: size }, (_, rank) =>
    startOne([...place.command(rank), process.execPath, script, ...words], {
      ...place.environment,
      RANK: String(rank),
      WORLD_SIZE: String(size),
      MASTER_PORT: port,
    }),
  );
  const outcomes = await finished(started);
  const bad = outcomes.find(({ code }) => code !== 0);
  if (bad) throw new Error(bad.output);
  const told = outcomes.map(({ output }) => {
    const line = output.split('\n').find((each) => each.startsWith('{"seconds"'));
    if (line === undefined) throw new Error(output);
    return JSON.parse(line) as Exchanged;
  });
  // The first one meets the others and makes room.
  const of = (which: keyof Exchanged) => told.map((each) => each[which].slice(1));
  const sumOf = (at: number) => of('computing').reduce((sum, each) => sum + (each[at] ?? NaN), 0);
  const [seconds = []] = of('seconds');
  return { seconds, computing: seconds.map((_, at) => sumOf(at)) };
}

const words = ({ seconds, computing }: Exchanged): string =>
  `${median(seconds).toFixed(3)} s (${Math.min(...seconds).toFixed(3)} to ${Math.max(...seconds).toFixed(3)}), ${median(computing).toFixed(3)} s of processors`;

/** @param megabits speeds of the links between the namespaces */
export async function links(root: string, megabits: readonly number[]): Promise<void> {
  const bases = new Map<number, number>();
  for (const size of [2, 3, 4]) {
    const found = await exchanged(root, size, 'f32', loopback);
    bases.set(size, Math.min(...found.seconds));
    console.log(`${size} ranks, loopback, f32: ${words(found)}`);
  }
  // As two manage it on loopback, at their best: other work on the machine only makes it longer.
  const handledPerSecond = NUMBERS / (bases.get(2) ?? NaN);
  for (const megabit of megabits) {
    for (const [size, sums] of [
      [2, 'f32'],
      [2, 'bf16'],
      [3, 'f32'],
    ] as const) {
      const network = openNetwork(3);
      try {
        for (let rank = 0; rank < 3; rank += 1) shape(network.place, rank, megabit);
        const found = await exchanged(root, size, sums, network.place);
        const link = { bitsPerSecond: megabit * 1e6, latency: 0, handledPerSecond };
        const said = exchangeSeconds(size, { numbers: NUMBERS, sums }, link);
        console.log(`${size} ranks, ${megabit} Mbit/s, ${sums}: ${words(found)}, the model says ${said.toFixed(3)} s`);
      } finally {
        network.close();
      }
    }
  }
}

const STEPS = 4;

/** Steps of `baby` by the real program, two ranks of one thread each, four batches of eight passages. */
export async function stepsOver(megabit: number, { folder }: Workshop): Promise<void> {
  const network = openNetwork(2);
  try {
    for (const rank of [0, 1]) shape(network.place, rank, megabit);
    const settings = [
      ...[
        'train',
        '--preset',
        'none',
        '--n_layer',
        '6',
        '--n_head',
        '6',
        '--n_embd',
        '384',
        '--block_size',
        '256',
        '--tokenization',
        'char',
        '--data_path',
        writeText(folder, 20_000),
      ],
      ...[
        '--batch_size',
        '8',
        '--gradient_accumulation_steps',
        '4',
        '--max_iters',
        String(STEPS),
        '--precision',
        'f32',
      ],
      ...['--eval_interval', String(STEPS), '--eval_iters', '1', '--log_interval', '1', '--warmup_iters', '1'],
      ...['--threads', '1', '--device', 'cpu', '--out_dir', join(folder, 'baby')],
    ];
    const outcomes = await finished(await startRanks(2, () => settings, network.place));
    mustHaveEnded(outcomes, 2);
    for (const { output } of outcomes) console.log(/Rank \d spent .*/.exec(output)?.[0]);
    const rows = jsonLines(readFileSync(join(folder, 'baby/metrics.jsonl'), 'utf8'));
    console.log(rows.map((row) => JSON.stringify(row)).join('\n'));
  } finally {
    network.close();
  }
}

/** A token bucket: what leaves the namespace is no faster. (netem, which also delays, is not in every kernel.) */
function shape(place: Place, rank: number, megabit: number): void {
  const [file = '', ...before] = place.command(rank);
  const rate = ['rate', `${megabit}mbit`, 'burst', '256kb', 'latency', '100ms'];
  execFileSync(file, [...before, 'tc', 'qdisc', 'add', 'dev', 'eth', 'root', 'tbf', ...rate]);
}
