/**
 * `npm run crash`: more of what tests/crash/*.test.ts do. `--every-step` stops the project, and then kills it, at every
 * step there is, each time in a new process; `--kills N` kills it N times at random moments; `--seed S` repeats a run, `--kind adapted|taught`
 * takes a project that begins from a model that can write, or is taught by one.
 */
import { crashKinds, type CrashKind } from './project.js';
import { createRandom, interruptAt, killOften, openWorkshop } from './harness.js';

const usage = 'npm run crash -- [--every-step] [--kills N] [--seed S] [--kind scratch|adapted|taught]';
/** Kills of one project; then it is finished, compared, and the next begins. */
const KILLS_EACH = 20;

interface Options {
  everyStep: boolean;
  kills: number;
  seed: number;
  kind: CrashKind;
}

function parse(args: readonly string[]): Options | null {
  const options: Options = { everyStep: false, kills: 0, seed: Date.now() % 2 ** 32, kind: 'scratch' };
  for (let at = 0; at < args.length; at += 1) {
    const number = Number(args[at + 1]);
    const kind = crashKinds.find((one) => one === args[at + 1]);
    if (args[at] === '--every-step') options.everyStep = true;
    else if (args[at] === '--kind' && kind) {
      options.kind = kind;
      at += 1;
    } else if ((args[at] === '--kills' || args[at] === '--seed') && Number.isSafeInteger(number) && number >= 0) {
      options[args[at] === '--kills' ? 'kills' : 'seed'] = number;
      at += 1;
    } else return null;
  }
  return options.everyStep || options.kills > 0 ? options : null;
}

/** @returns the exit code */
export async function crash(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === null) {
    console.error(usage);
    return 2;
  }
  const workshop = await openWorkshop(options.kind);
  try {
    if (options.everyStep) {
      for (const end of ['stop', 'kill'] as const) {
        const met = await interruptAt(workshop, workshop.whole.places, end, (point) =>
          console.error(`${end} ${point}`),
        );
        console.log(`${end}: ${met.length} places, 0 differing bytes`);
      }
    }
    if (options.kills > 0) console.log(`seed ${options.seed}`);
    for (let killed = 0; killed < options.kills;) {
      // A seed for each project, so that one can be repeated by itself.
      const kills = Math.min(KILLS_EACH, options.kills - killed);
      killed += await killOften(workshop, kills, createRandom(options.seed + killed));
      console.log(`${killed} of ${options.kills} kills: every project recovered, 0 differing bytes`);
    }
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    workshop.dispose();
  }
}
