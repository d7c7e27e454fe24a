/**
 * `npm run cluster`: 1, 2, 3 and 4 ranks take the same 50 steps (`--parity`) or go through the same project (`--cycle`); two
 * are started by the real torchrun, mpirun or Slurm; the files of docs/clusters are read by what reads them (`--files`); the sum
 * of gradients is measured over slow links (`--link`, as root), and steps of
 * `baby` over a gigabit (`--baby`, as root); a random one is killed (`--kills N`) or cut off from the network in
 * namespaces (`--cuts N`, as root) at a random moment, and after each the run is resumed by any number.
 */
import { babySteps } from './baby.js';
import { cutting, killing, strikeOften } from './faults.js';
import { checkFiles } from './files.js';
import { launchedBy, launcherNames, type LauncherName } from './launchers.js';
import { links } from './link.js';
import { cycles, parity } from './parity.js';
import { endTidily } from './start.js';
import { finish, lossesOf, openWorkshop } from './workshop.js';

const usage =
  'npm run cluster -- [--parity] [--cycle] [--torchrun] [--mpirun] [--slurm] [--files] [--link] [--baby] [--kills N] [--cuts N] [--seed S]';

/** Of the links that are measured. */
const MEGABITS = [1000, 100];

interface Options {
  readonly parity: boolean;
  readonly cycle: boolean;
  readonly files: boolean;
  readonly link: boolean;
  readonly baby: boolean;
  readonly launchers: readonly LauncherName[];
  readonly kills: number;
  readonly cuts: number;
  readonly seed: number;
}

function parse(args: readonly string[]): Options | null {
  const numbers = new Map([['--seed', Date.now() % 2 ** 32]]);
  const words = new Set<string>();
  const known = ['--parity', '--cycle', '--files', '--link', '--baby', ...launcherNames.map((name) => `--${name}`)];
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', number] = [args[at], Number(args[at + 1])];
    if (known.includes(name)) words.add(name);
    else if (['--kills', '--cuts', '--seed'].includes(name) && Number.isSafeInteger(number) && number >= 0) {
      numbers.set(name, number);
      at += 1;
    } else return null;
  }
  const options = {
    parity: words.has('--parity'),
    cycle: words.has('--cycle'),
    files: words.has('--files'),
    link: words.has('--link'),
    baby: words.has('--baby'),
    launchers: launcherNames.filter((name) => words.has(`--${name}`)),
    kills: numbers.get('--kills') ?? 0,
    cuts: numbers.get('--cuts') ?? 0,
    seed: numbers.get('--seed') ?? 0,
  };
  return words.size + options.kills + options.cuts > 0 ? options : null;
}

/** @returns the exit code */
export async function cluster(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === null) {
    console.error(usage);
    return 2;
  }
  const { kills, cuts, seed } = options;
  endTidily();
  const workshop = openWorkshop();
  try {
    if (options.files) await checkFiles(process.cwd());
    if (options.link) await links(process.cwd(), MEGABITS);
    if (options.baby && !(await babySteps(workshop))) return 1;
    if (options.cycle) await cycles(workshop);
    if (!options.parity && options.launchers.length + kills + cuts === 0) return 0;
    await finish(workshop, 'one', 1);
    const reference = lossesOf(workshop, 'one');
    for (const name of options.launchers) await launchedBy(name, workshop, reference);
    if (options.parity) await parity(workshop, reference);
    if (kills + cuts === 0) return 0;
    console.log(`seed ${seed}`);
    const usual = await finish(workshop, 'usual', 2);
    const strike = { seed, usual };
    const killed = await strikeOften(workshop, reference, { name: 'kills', count: kills, ...strike }, killing);
    if (cuts === 0) return killed > 0 ? 1 : 0;
    const cut = await cutting((fault) =>
      strikeOften(workshop, reference, { name: 'cuts', count: cuts, ...strike }, fault),
    );
    return killed + cut > 0 ? 1 : 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    workshop.close();
  }
}
