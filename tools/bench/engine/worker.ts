/** Verisim's process in a benchmark: answers the requests of contender.ts. The other contenders' is peers/worker.py. */
import { createInterface } from 'node:readline';
import process from 'node:process';
import { peakMemory } from '../../support/peak-memory.js';
import type { Contestant } from '../plan.js';
import type { Sample } from '../rows.js';
import type { Precision, Work } from '../shapes.js';
import type { Iteration } from './iteration.js';

type Request =
  | { readonly do: 'load'; readonly threads: number; readonly precision: Precision }
  | { readonly do: 'repeat' | 'memory' }
  | ({ readonly do: 'prepare' } & Contestant);

// Answers have standard output to themselves.
console.log = console.info = console.debug = console.error;

let versions: Record<string, string> = {};
let iteration: Iteration | null = null;
let work: Work | null = null;

/** Loaded when asked for: reading files needs no TensorFlow. */
async function engine(threads: number, withXla: boolean, precision: Precision) {
  const { loadEngine } = await import('./environment.js');
  const loaded = await loadEngine(threads, withXla, precision);
  versions = { tensorflow: loaded.version };
  return loaded;
}

async function build({ measure, variant, work }: Contestant): Promise<Iteration> {
  if (measure === 'load_text' || measure === 'load_binary') {
    const loading = await import('./loading.js');
    return loading[measure](work);
  }
  const loaded = await engine(work.threads, variant !== 'no-xla', work.precision);
  switch (measure) {
    case 'train_step':
      return (await import('./training.js')).trainStep(work, loaded);
    case 'evaluate':
      return (await import('./training.js')).evaluate(work, loaded);
    case 'generate':
      return (await import('./writing.js')).generate(work, loaded);
    case 'reward_data':
      return (await import('./writing.js')).rewardData(work, loaded);
    case 'grpo_step':
      return (await import('./policy.js')).grpoStep(work, loaded);
    case 'matmul_peak':
      return (await import('./matmul.js')).matmulPeak(work, loaded);
    case 'startup':
    case 'peak_memory':
      throw new Error(`${measure} is a train step in a new process`);
  }
}

async function prepare(contestant: Contestant): Promise<void> {
  work = contestant.work;
  iteration = await build(contestant);
  for (let i = 0; i < work.prepare; i++) await iteration();
}

async function repeat(): Promise<Sample> {
  if (!iteration || !work) throw new Error('nothing was prepared');
  for (let i = 0; i < work.warm; i++) await iteration();
  const samples: Sample[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < work.iterations; i++) samples.push(await iteration());
  const { user, system } = process.cpuUsage(before);
  const mean = (field: keyof Sample) => {
    const values = samples.flatMap((sample) => sample[field] ?? []);
    return values.length === 0 ? {} : { [field]: values.reduce((a, b) => a + b, 0) / values.length };
  };
  const fields = ['session_ms', 'compile_ms', 'gflops'] as const;
  const cpu = { cpu_ms: (user + system) / 1000 / work.iterations };
  return Object.assign({ ms: 0 }, cpu, mean('ms'), ...fields.map(mean)) as Sample;
}

async function answer(request: Request): Promise<object> {
  switch (request.do) {
    case 'load': {
      const { warmUp } = await engine(request.threads, true, request.precision);
      return { answer: warmUp() };
    }
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
// TensorFlow's threads would keep the process.
process.exit(0);
