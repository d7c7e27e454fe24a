/**
 * `npm run crash`: more of what tests/crash/*.test.ts do. `--every-step` stops the project, and then kills it, at every
 * step, each time in a new process; `--kills N` kills it N times at random moments; `--seed S` repeats a run; `--kind
 * adapted|taught` takes a project that begins from a model that can write, or is taught by one.
 */
import { parseArgs } from 'node:util';
import { crashKinds } from './project.js';
import { createRandom, interruptAt, killOften, openWorkshop } from './harness.js';

/** Kills of one project; then it is finished, compared, and the next begins. */
const KILLS_EACH = 20;

/** @returns the exit code */
export async function crash(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'every-step': { type: 'boolean', default: false },
      kills: { type: 'string', default: '0' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
      kind: { type: 'string', default: 'scratch' },
    },
  });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  const kind = crashKinds.find((one) => one === values.kind);
  if (kind === undefined || !Number.isSafeInteger(kills) || !Number.isSafeInteger(seed)) {
    console.error('npm run crash -- [--every-step] [--kills N] [--seed S] [--kind scratch|adapted|taught]');
    return 2;
  }
  const workshop = await openWorkshop(kind);
  try {
    for (const end of values['every-step'] ? (['stop', 'kill'] as const) : []) {
      const met = await interruptAt(workshop, workshop.whole.places, end, (point) => console.error(`${end} ${point}`));
      console.log(`${end}: ${met.length} places, 0 differing bytes`);
    }
    console.log(`seed ${seed}`);
    for (let killed = 0; killed < kills;) {
      // A seed for each project, so that one can be repeated by itself.
      killed += await killOften(workshop, Math.min(KILLS_EACH, kills - killed), createRandom(seed + killed));
      console.log(`${killed} of ${kills} kills: every project recovered, 0 differing bytes`);
    }
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    workshop.dispose();
  }
}
