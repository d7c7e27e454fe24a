// `npm run study:plan -- [TEXT] [FLAGS]`: runs the plan of a text with SmolLM2, or with the preset that is given, and prints planned against actual time.
// "planned" is the estimate of `verisim preview`; "measuring" is the share of base training that evaluations with their samples took.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sampleModelPath, sampleTextPath } from '../../main/installation/locations.mjs';

const root = resolve(import.meta.dirname, '../..');
const [given, ...more] = process.argv.slice(2);
const isText = given !== undefined && !given.startsWith('--');
const requested = isText || given === undefined ? more : [given, ...more];
const flags = [
  ...['--data_path', isText ? resolve(given) : sampleTextPath()],
  ...(requested.includes('--preset') ? [] : ['--init_from', sampleModelPath(), '--preset', 'smollm2']),
  ...requested,
];

/** Runs a command and returns its last event, with the seconds that it took. */
async function verisim(/** @type {readonly string[]} */ args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(root, 'scripts/verisim.mjs'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 2],
  });
  let text = '';
  for await (const piece of child.stdout ?? []) text += String(piece);
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const seconds = (performance.now() - startedAt) / 1000;
  const last = events.at(-1);
  if (last?.event !== 'done') throw new Error(`verisim ${args.join(' ')}: ${JSON.stringify(last)}`);
  return { results: last.results ?? last, seconds };
}

const project = join(mkdtempSync(join(tmpdir(), 'verisim-plan-')), 'project');
process.stderr.write(`${project}\n`);
const { results: preview } = await verisim(['preview', ...flags]);
const { results, seconds } = await verisim(['cycle', project, ...flags, '--max_cycles', '0']);
const { prepare, base_training: training } = preview.seconds;
const rows = readFileSync(join(project, 'cycles/00/metrics.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .filter(({ phase }) => phase === 'base_training');
const sum = (/** @type {readonly { seconds_computed: number }[]} */ some) =>
  some.reduce((total, row) => total + row.seconds_computed, 0);
const looks = rows.filter(({ values }) => values.val_loss !== undefined);
process.stdout.write(
  `${JSON.stringify(
    {
      planned: prepare + training,
      actual: seconds,
      measuring: sum(looks) / sum(rows),
      before: preview.familiarity,
      ...results.base,
    },
    null,
    2,
  )}\n`,
);
