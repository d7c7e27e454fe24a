/** `npm run study:ratings -- --json FILE`: the promises of human evaluation on simulated raters (docs/judging.md). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { studyRatings } from './simulate.js';

const usage = `npm run study:ratings [-- options]
  --seed S      of the simulated raters (default 1)
  --json FILE   write the result there`;

/** @returns the process's exit code */
export function main(args: readonly string[]): number {
  const text = { type: 'string' } as const;
  let options: { readonly seed?: string; readonly json?: string };
  try {
    options = parseArgs({ args: [...args], options: { seed: text, json: text } }).values;
  } catch {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const seed = Number(options.seed ?? 1);
  if (!Number.isSafeInteger(seed) || seed < 0) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const result = studyRatings(seed);
  const json = `${JSON.stringify(result, null, 2)}\n`;
  if (options.json !== undefined) {
    mkdirSync(dirname(options.json), { recursive: true });
    writeFileSync(options.json, json);
  }
  process.stdout.write(json);
  return 0;
}
