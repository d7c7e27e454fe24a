/** How long the sum of gradients takes over links of several speeds, beside what costs.ts says. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { exchangeSeconds } from './costs.js';
import { freePort } from '../../tests/cluster/ranks.js';
import { loopback, openNetwork, startOne, type Place } from './start.js';
import { finished } from './workshop.js';

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

/**
 * Holds what leaves the namespace to a speed: by netem with a tenth of a millisecond's delay, or by a token bucket where the kernel
 * has no netem. @returns which
 */
export function shape(place: Place, rank: number, megabit: number): 'netem' | 'tbf' {
  const [file = '', ...before] = place.command(rank);
  const add = (...rule: readonly string[]) =>
    execFileSync(file, [...before, 'tc', 'qdisc', 'add', 'dev', 'eth', 'root', ...rule], { stdio: 'pipe' });
  try {
    add('netem', 'rate', `${megabit}mbit`, 'delay', '0.1ms', 'limit', '100000');
    return 'netem';
  } catch {
    add('tbf', 'rate', `${megabit}mbit`, 'burst', '256kb', 'latency', '100ms');
    return 'tbf';
  }
}
