// `npm run study`: repeats the table of results in docs/method.md with the command line, as a user would, and prints it as Markdown.
// For each seed and reward kind it makes a project whose control trains on for as much work as the cycle (control_share 1).
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable, rowOf, summarise } from './table.mjs';

const [name = ''] = process.argv.slice(2);
if (name === 'choices' || name === 'voice') {
  const { runProgram } = await import('../support/program.mjs');
  await runProgram({
    outdir: 'dist/study',
    entryPoints: { index: `tools/study/${name}.ts` },
    needs: ['packages', 'tensorflow', 'sample'],
    /** @param {{ study: (args: readonly string[]) => Promise<number> }} program */
    start: ({ study }, _root, args) => study(args.slice(1)),
  });
}

const usage = `npm run study [-- choices | voice] [-- options]
  --data_path F   the text (default: the bundled sample)
  --preset P      default: classic, the setting of the table in docs/method.md
  --kinds A,B     reward kinds (default: critic,head)
  --seeds A,B     default: 1,2,3
  --threads N     default: all cores
  --folder DIR    keep the projects there; the same command resumes what was stopped
  --set="FLAGS"   more flags of \`verisim cycle\`, such as --set="--max_iters 500"
  --json FILE     write the rows there`;

const root = resolve(import.meta.dirname, '../..');
const text = /** @type {const} */ ({ type: 'string' });
const { values } = parseArgs({
  options: {
    data_path: text,
    preset: { ...text, default: 'classic' },
    kinds: { ...text, default: 'critic,head' },
    seeds: { ...text, default: '1,2,3' },
    threads: text,
    folder: text,
    set: { ...text, default: '' },
    json: text,
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

const folder = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), 'verisim-study-'));
mkdirSync(folder, { recursive: true });

/** Runs `verisim cycle` to its end, or resumes it. */
function runCycle(/** @type {string} */ project, /** @type {readonly string[]} */ flags) {
  const child = spawn(process.execPath, [join(root, 'scripts/verisim.mjs'), 'cycle', project, ...flags], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? done(undefined) : fail(new Error(`verisim cycle ${project}: code ${code}`)),
    );
  });
}

/** Reads the reports of all cycles, base training first. */
function readReports(/** @type {string} */ project) {
  const reports = [];
  for (let cycle = 0; ; cycle++) {
    const file = join(folder, project, 'cycles', String(cycle).padStart(2, '0'), 'report.json');
    if (!existsSync(file)) return reports;
    reports.push(JSON.parse(readFileSync(file, 'utf8')));
  }
}

const rows = [];
for (const kind of values.kinds.split(',')) {
  for (const seed of values.seeds.split(',')) {
    const project = `${kind}-seed-${seed}`;
    process.stderr.write(`${project} in ${folder}\n`);
    await runCycle(project, [
      ...['--preset', values.preset, '--seed', seed, '--reward_kind', kind, '--control_share', '1'],
      ...(values.data_path ? ['--data_path', resolve(values.data_path)] : []),
      ...(values.threads ? ['--threads', values.threads] : []),
      ...values.set.split(' ').filter(Boolean),
    ]);
    rows.push(rowOf(kind, Number(seed), readReports(project)));
    // After each project, so that an interrupted study leaves its rows.
    if (values.json) writeFileSync(resolve(values.json), `${JSON.stringify(rows, null, 2)}\n`);
  }
}
process.stdout.write(`${formatTable([...rows, ...summarise(rows)])}\n`);
