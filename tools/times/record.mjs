/**
 * Records how a real run's time passed, for the replay in tests/jobs/project/time-left.test.ts:
 *   node tools/times/record.mjs FILE TEXT [flags of `verisim new`]
 * FILE gets what the plan was, and when each phase began, moved and ended: milliseconds, thinned to what a replay needs.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const [file, text, ...flags] = process.argv.slice(2);
if (file === undefined || text === undefined) throw new Error('FILE and TEXT are needed');
/** Of a run, about so many moments are kept, besides the first and last of each phase. */
const MOMENTS = 60;

/**
 * @param {string[]} args
 * @param {(event: Record<string, any>, at: number) => void} tell
 */
async function verisim(args, tell) {
  const child = spawn(process.execPath, [cli, ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) tell(JSON.parse(line), performance.now());
  const code = await ended;
  if (code !== 0) throw new Error(`${args[0]} ended with ${String(code)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'verisim-times-'));
try {
  const project = join(folder, 'run');
  /** @type {Record<string, any>} */
  let made = {};
  await verisim(['new', project, '--data_path', text, ...flags], (event) => {
    if (event.event === 'done') made = event;
  });
  /** @type {{ at: number; row: (string | number | null)[]; moves?: boolean }[]} */
  const events = [];
  await verisim(['cycle', project], (event, at) => {
    if (event.event === 'phase' && event.state !== 'skipped')
      events.push({ at, row: [event.phase, event.state, event.cycle ?? 0] });
    if (event.event === 'progress')
      events.push({ at, row: [event.phase, event.done, event.total, event.rate, event.seconds_left], moves: true });
  });
  // The clock begins with the first phase: what comes before it is the program's start.
  const start = events[0]?.at ?? 0;
  const gap = ((events.at(-1)?.at ?? 0) - start) / MOMENTS;
  let last = -Infinity;
  const kept = events.filter(({ at, moves, row }, index) => {
    const [before, after] = [events[index - 1], events[index + 1]];
    const isEdge = !moves || !before?.moves || !after?.moves || before.row[0] !== row[0] || after.row[0] !== row[0];
    if (!isEdge && at - last < gap) return false;
    last = at;
    return true;
  });
  const short = (/** @type {unknown} */ value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);
  const rows = kept.map(({ at, row }) => JSON.stringify([Math.round(at - start), ...row.map(short)]));
  const {
    data_path: _,
    mode: _mode,
    vocab_size,
    ...config
  } = JSON.parse(readFileSync(join(project, 'project.json'), 'utf8')).config;
  const { train_tokens, val_tokens } = made;
  const head = { name: basename(file, '.json'), flags, config, train_tokens, val_tokens, vocab_size };
  writeFileSync(file, `${JSON.stringify(head).slice(0, -1)},\n"events":[\n${rows.join(',\n')}\n]}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
