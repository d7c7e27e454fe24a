/** Runs one rotation: starts its contenders, lets them take turns, and makes their rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Contender, type Command } from './contender.js';
import { flopsOf } from './flops.js';
import { otherLoad, processorTime } from './machine.js';
import type { Contestant, Rotation } from './plan.js';
import { medianOf, rowOf, type Row, type Sample } from './rows.js';
import { describeWork } from './shapes.js';
import { repeatsWithin, turns } from './turns.js';

interface RotationResult {
  readonly rows: readonly Row[];
  readonly failures: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  /** The best median speed of a matrix product, in GFLOP/s; undefined when none was measured. */
  readonly peakGflops: number | undefined;
}

interface RotateOptions {
  readonly commandOf: (contestant: Contestant) => Command;
  readonly repeats: number;
  /** Time for the repeats of one contender. */
  readonly budgetMs: number;
  readonly say: (line: string) => void;
}

/** Between two turns: threads that spin while they wait for work have gone to sleep. */
const PAUSE_MS = 50;

/** Train steps before memory is read; the first ones have allocated all there is. */
const STEPS_FOR_MEMORY = 3;

interface Entry {
  readonly contender: Contender;
  readonly samples: Sample[];
  peakMib?: number | undefined;
}

export async function rotate(rotation: Rotation, options: RotateOptions): Promise<RotationResult> {
  return rotation.isFresh ? rotateFresh(rotation, options) : rotateAlive(rotation, options);
}

const nameOf = ({ contender, variant, measure }: Contestant): string =>
  `${measure} ${contender}${variant === null ? '' : ` (${variant})`}`;

async function rotateAlive(rotation: Rotation, options: RotateOptions): Promise<RotationResult> {
  const { commandOf, say } = options;
  const failures: string[] = [];
  const entries: Entry[] = [];
  const started: Contender[] = [];
  try {
    for (const contestant of rotation.contestants) {
      say(`  ${nameOf(contestant)}: preparing`);
      const contender = new Contender(contestant, commandOf(contestant));
      started.push(contender);
      await attempt(failures, async () => {
        await contender.prepare();
        entries.push({ contender, samples: [] });
      });
    }
    const counts: number[] = [];
    for (const { contender } of entries) {
      const sample = await attempt(failures, () => contender.repeat());
      const { iterations, warm } = contender.contestant.work;
      const cost = (sample?.ms ?? 0) * (iterations + warm);
      const limits = { most: options.repeats, least: 2, budgetMs: options.budgetMs };
      counts.push(sample === undefined ? 0 : repeatsWithin(cost, limits));
    }
    const pids = started.flatMap(({ pid }) => pid ?? []);
    const before = processorTime(pids);
    for (const place of turns(counts)) {
      const entry = entries[place];
      if (!entry) continue;
      const sample = await attempt(failures, () => entry.contender.repeat());
      if (sample) entry.samples.push(sample);
      await sleep(PAUSE_MS);
    }
    const load = otherLoad(before, processorTime(pids));
    for (const entry of entries) entry.peakMib = await attempt(failures, () => entry.contender.memory());
    return { ...summary(rotation, entries, load), failures };
  } finally {
    for (const contender of started) await contender.close();
  }
}

/** Start-up and memory: every repeat in a process of its own. */
async function rotateFresh(rotation: Rotation, options: RotateOptions): Promise<RotationResult> {
  const failures: string[] = [];
  const perContestant = rotation.contestants.map((): Sample[] => []);
  let versions: Record<string, string> = {};
  const startedAt = performance.now();
  for (let round = 0; round < Math.min(3, options.repeats); round++) {
    for (const [place, contestant] of rotation.contestants.entries()) {
      options.say(`  ${nameOf(contestant)}: a new process`);
      await attempt(failures, async () => {
        const { measure, work } = contestant;
        const started = performance.now();
        const steps = { ...work, prepare: 1, iterations: 1, warm: 0 };
        const contender = new Contender(
          { ...contestant, measure: 'train_step', work: steps },
          options.commandOf(contestant),
        );
        try {
          await contender.load();
          const loaded = performance.now() - started;
          await contender.prepare();
          const ms = performance.now() - started;
          if (measure === 'peak_memory') for (let i = 0; i < STEPS_FOR_MEMORY; i++) await contender.repeat();
          perContestant[place]?.push({ ms, loaded_ms: loaded, mib: await contender.memory() });
          versions = { ...versions, ...contender.versions };
        } finally {
          await contender.close();
        }
      });
    }
    if (performance.now() - startedAt > options.budgetMs) break;
  }
  const rows = rotation.contestants.flatMap((contestant, place) => {
    const samples = perContestant[place] ?? [];
    return samples.length === 0 ? [] : [rowOf(identityOf(rotation, contestant), samples, { otherLoad: null })];
  });
  return { rows, failures, versions, peakGflops: undefined };
}

function summary(rotation: Rotation, entries: readonly Entry[], load: number | null) {
  const measured = entries.filter(({ samples }) => samples.length > 0);
  const peaks = measured.flatMap(({ samples }) => medianOf(samples, 'gflops') ?? []);
  const peakGflops = peaks.length > 0 ? Math.max(...peaks) : undefined;
  const rows = measured.map(({ contender: { contestant }, samples, peakMib }) =>
    rowOf(identityOf(rotation, contestant), samples, {
      otherLoad: load,
      peakMib,
      flops: flopsOf(contestant.measure, contestant.work),
      peakGflops,
    }),
  );
  const versions = Object.assign({}, ...measured.map(({ contender }) => contender.versions)) as Record<string, string>;
  return { rows, versions, peakGflops };
}

const identityOf = (rotation: Rotation, { measure, contender, variant, work }: Contestant) => ({
  measure,
  shape: rotation.shape,
  precision: rotation.precision,
  contender,
  variant,
  work: describeWork(measure, work),
});

/** One contender that cannot be measured does not keep the others from it. */
async function attempt<T>(failures: string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    failures.push((error as Error).message);
    return undefined;
  }
}
