/**
 * `npm run bench:data`: data preparation against its figures. How fast texts become tokens, beside OpenAI's tiktoken in
 * turns; that the ids are the same; how much memory two gigabytes take; how much faster binary mode loads.
 * docs/benchmarks-data.md says what each line means. Started by run.mjs, which bundles it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupProblem } from '../../../scripts/setup/report.mjs';
import { sampleTextPath } from '../../../main/installation/locations.mjs';
import { equalIds } from './equal.js';
import { loading } from './load.js';
import { memory } from './memory.js';
import type { Figure, Setting } from './setting.js';
import { bpeSpeed, charSpeed } from './speed.js';
import { startTiktoken, type Tiktoken } from './tiktoken.js';

const parts = ['char', 'bpe', 'equal', 'load', 'memory'] as const;
type Part = (typeof parts)[number];

const usage = `npm run bench:data [-- options]
  --only a,b      ${parts.join(', ')}
  --size SHARE    a share of the text everywhere, such as 0.1 for a quick look
  --python FILE   a Python that has tiktoken; nothing is installed`;

const measures: Readonly<Record<Part, (setting: Setting) => Figure[] | Promise<Figure[]>>> = {
  char: charSpeed,
  bpe: bpeSpeed,
  equal: equalIds,
  load: loading,
  memory,
};

function parseOptions(args: readonly string[]): { only: readonly Part[]; size: number; python: string | null } {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, size: { type: 'string', default: '1' }, python: { type: 'string' } },
  });
  const only = values.only?.split(',').map((name) => {
    const found = parts.find((part) => part === name);
    if (found === undefined) throw new Error(`--only: there is no "${name}"; known: ${parts.join(', ')}`);
    return found;
  });
  const size = Number(values.size);
  if (!(size > 0)) throw new Error(`--size takes a number above 0, not "${values.size}"`);
  return { only: only ?? parts, size, python: values.python ?? null };
}

/** @param root the checkout */
export async function benchData(root: string, args: readonly string[]): Promise<number> {
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args);
  } catch (error) {
    say(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'verisim-bench-data-'));
  let peer: Promise<Tiktoken> | undefined;
  const tiktoken = (): Promise<Tiktoken> => (peer ??= startTiktoken({ root, folder, python: options.python, say }));
  const book = readFileSync(sampleTextPath(), 'utf8');
  const figures: Figure[] = [];
  try {
    for (const part of options.only) {
      say(part);
      figures.push(...(await measures[part]({ root, folder, size: options.size, book, say, tiktoken })));
    }
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.line);
    return 1;
  } finally {
    if (peer !== undefined) (await peer.catch(() => null))?.close();
    rmSync(folder, { recursive: true, force: true });
  }
  for (const { name, measured, must, isMet } of figures) {
    const verdict = isMet === null ? '' : isMet ? 'ok   ' : 'SHORT';
    process.stdout.write(`${verdict.padEnd(5)} ${name}: ${measured}${must === '' ? '' : `; must be ${must}`}\n`);
  }
  return figures.some(({ isMet }) => isMet === false) ? 1 : 0;
}
