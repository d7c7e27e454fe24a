/** 2, 3 and 4 ranks beside one process: 50 steps of training, and a whole project. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeText } from '../../tests/cli/program.js';
import { distances, projectSettings, REPORT_TOLERANCE } from '../../tests/cluster/project.js';
import { startRanks } from './start.js';
import {
  differenceFrom,
  finish,
  finished,
  lossesOf,
  mustHaveEnded,
  STEPS,
  weightsHash,
  type Losses,
  type Workshop,
} from './workshop.js';

const sizes = [2, 3, 4] as const;

export async function parity(workshop: Workshop, reference: Losses): Promise<void> {
  for (const size of sizes) {
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

/** Base training, reward data, reward model, GRPO and the judge: every number of the reports. */
export async function cycles({ folder }: Workshop): Promise<void> {
  const settings = projectSettings(writeText(folder));
  const project = (size: number) => join(folder, `cycle-${size}`);
  const away = join(folder, 'cycle-away');
  for (const size of [1, ...sizes]) {
    const outcomes = await finished(
      await startRanks(size, (rank) => ['cycle', rank === 0 ? project(size) : away, ...settings]),
    );
    mustHaveEnded(outcomes, size);
    if (existsSync(away)) throw new Error(`${size} ranks: another than rank 0 has left a folder`);
    if (size === 1) continue;
    const all = [...distances(project(1), project(size))];
    const [where, far] = all.reduce((most, each) => (each[1] > most[1] ? each : most));
    if (!(far < REPORT_TOLERANCE)) throw new Error(`${size} ranks: ${where} is ${far} from one process's`);
    console.log(
      `${size} ranks, a cycle: ${all.length} numbers of the reports within ${far.toExponential(1)} (${where})`,
    );
  }
}
