/** Runs one rotation: starts its contenders, lets them take turns, and makes their rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Contender, type Command } from './contender.js';
import { repeatsWithin, turns, type Contestant, type Rotation } from './plan.js';
import { rowOf, type Row, type Sample } from './rows.js';
import { describeWork } from './shapes.js';

interface RotationResult {
  readonly rows: readonly Row[];
  readonly failures: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
}

interface RotateOptions {
  readonly commandOf: (contestant: Contestant) => Command;
  readonly repeats: number;
  /** Time for the repeats of one contender. */
  readonly budgetMs: number;
  readonly report: (line: string) => void;
}

/** Between two turns, so that threads that wait in a loop go to sleep. */
const PAUSE_MS = 50;

interface Entry {
  readonly contender: Contender;
  readonly samples: Sample[];
  peakMib?: number | undefined;
}

export async function rotate(rotation: Rotation, options: RotateOptions): Promise<RotationResult> {
  const { commandOf, report } = options;
  const failures: string[] = [];
  const entries: Entry[] = [];
  const started: Contender[] = [];
  /** A contender that fails does not stop the others. */
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      failures.push((error as Error).message);
      return undefined;
    }
  };
  try {
    for (const contestant of rotation.contestants) {
      report(`  ${contestant.measure} ${contestant.contender} ${contestant.variant ?? ''}: preparing`);
      const contender = new Contender(contestant, commandOf(contestant));
      started.push(contender);
      await attempt(async () => {
        await contender.prepare();
        entries.push({ contender, samples: [] });
      });
    }
    const counts: number[] = [];
    for (const { contender } of entries) {
      const sample = await attempt(() => contender.repeat());
      const { iterations, warm } = contender.contestant.work;
      const limits = { most: options.repeats, least: 2, budgetMs: options.budgetMs };
      counts.push(sample ? repeatsWithin(sample.ms * (iterations + warm), limits) : 0);
    }
    for (const place of turns(counts)) {
      const entry = entries[place];
      if (!entry) continue;
      const sample = await attempt(() => entry.contender.repeat());
      if (sample) entry.samples.push(sample);
      await sleep(PAUSE_MS);
    }
    for (const entry of entries) entry.peakMib = await attempt(() => entry.contender.memory());
    const measured = entries.filter(({ samples }) => samples.length > 0);
    const rows = measured.map(({ contender: { contestant }, samples, peakMib }) =>
      rowOf(identityOf(rotation, contestant), samples, peakMib),
    );
    const versions = Object.fromEntries(measured.flatMap(({ contender }) => Object.entries(contender.versions)));
    return { rows, failures, versions };
  } finally {
    for (const contender of started) await contender.close();
  }
}

const identityOf = ({ shape, precision }: Rotation, { measure, contender, variant, work }: Contestant) => ({
  ...{ measure, shape, precision, contender, variant },
  work: describeWork(measure, work),
});
