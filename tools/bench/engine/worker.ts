/** Verisim's process in a benchmark: answers the requests of contender.ts, as peers/worker.py does for the peers. */
import { createInterface } from 'node:readline';
import process from 'node:process';
import { peakMemory } from '../../support/peak-memory.js';
import type { Contestant } from '../plan.js';
import type { Sample } from '../rows.js';
import type { Work } from '../shapes.js';
import type { Iteration } from './environment.js';

type Request = { readonly do: 'repeat' | 'memory' } | ({ readonly do: 'prepare' } & Contestant);

// Standard output is for answers only.
console.log = console.info = console.debug = console.error;

let versions: Record<string, string> = {};
let prepared: { readonly iterate: Iteration; readonly work: Work } | null = null;

async function build({ measure, work }: Contestant): Promise<Iteration> {
  const { env, versions: loaded } = await (await import('./environment.js')).loadEngine(work.threads, work.precision);
  versions = { ...loaded };
  switch (measure) {
    case 'train_step':
      return (await import('./training.js')).trainStep(work, env);
    case 'generate':
      return (await import('./writing.js')).generate(work, env);
    case 'reward_data':
      return (await import('./writing.js')).rewardData(work, env);
    case 'grpo_step':
      return (await import('./policy.js')).grpoStep(work, env);
  }
}

async function prepare(contestant: Contestant): Promise<void> {
  prepared = { iterate: await build(contestant), work: contestant.work };
  for (let i = 0; i < contestant.work.prepare; i++) await prepared.iterate();
}

async function repeat(): Promise<Sample> {
  if (!prepared) throw new Error('nothing was prepared');
  const { iterate, work } = prepared;
  for (let i = 0; i < work.warm; i++) await iterate();
  const [used, started] = [process.cpuUsage(), performance.now()];
  for (let i = 0; i < work.iterations; i++) await iterate();
  const ms = (performance.now() - started) / work.iterations;
  const { user, system } = process.cpuUsage(used);
  return { ms, cpu_ms: (user + system) / 1000 / work.iterations };
}

async function answer(request: Request): Promise<object> {
  switch (request.do) {
    case 'prepare':
      await prepare(request);
      return { versions };
    case 'repeat':
      return repeat();
    case 'memory':
      return { mib: peakMemory() / 2 ** 20 };
  }
}

for await (const line of createInterface(process.stdin)) {
  const reply = await answer(JSON.parse(line) as Request).catch((error: unknown) => {
    console.error(error);
    return { error: error instanceof Error ? error.message : String(error) };
  });
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
// TensorFlow's threads would keep the process alive.
process.exit(0);
