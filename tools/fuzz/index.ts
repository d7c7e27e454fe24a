/** `npm run fuzz`: as many cases of every reader as one has time for. What goes wrong is saved with the command that repeats it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { casesOf } from './cases.js';
import { measured, runCases, type SessionResult } from './session.js';
import { loadSubject, subjectNames } from './subjects/index.js';

export const usage = `npm run fuzz [-- options]
  --cases N    random cases of each reader, besides the hostile files, every cut and every changed byte (default 2000)
  --seed S     where the random cases come from (default: one that is printed)
  --only a,b   ${subjectNames.join(', ')}
  --case I     one case by itself, with what it costs; needs --seed and --only`;

class UsageError extends Error {}

function parse(args: readonly string[]) {
  const options = {
    cases: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    case: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args: [...args], options, strict: true });
  const whole = (name: 'cases' | 'seed' | 'case'): number | null => {
    const text = values[name];
    if (text === undefined) return null;
    if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} takes a whole number, not "${text}"`);
    return Number(text);
  };
  const only = values.only?.split(',') ?? subjectNames;
  const unknown = only.find((name) => !subjectNames.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--only: there is no "${unknown}"; known: ${subjectNames.join(', ')}`);
  return { cases: whole('cases') ?? 2000, seed: whole('seed') ?? Date.now() % 1_000_000, only, one: whole('case') };
}

/** @param root the repository's folder. @returns the exit code: 0 when nothing is wrong */
export async function fuzz(root: string, args: readonly string[]): Promise<number> {
  let options;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return 2;
  }
  const { cases, seed, only, one } = options;
  const child = join(root, 'dist/fuzz/child.js');
  process.stdout.write(`seed ${seed}\n`);
  let findings = 0;
  for (const name of only) {
    const { subject, place } = await loadSubject(name);
    const all = casesOf(subject, place, seed);
    if (one !== null) {
      const { what, result, cpu, growth, why } = await measured(child, name, seed, one);
      process.stdout.write(`${name} case ${one}: ${what}\n${result}\n${cpu.toFixed(0)} ms, ${megabytes(growth)}\n`);
      if (why !== null) process.stdout.write(`${why}\n`);
      save(root, name, seed, one, all.at(one).bytes);
    }
    const range = one === null ? { from: 0, to: all.fixed + cases } : { from: one, to: one + 1 };
    const result = await runCases(child, { subject: name, seed, ...range });
    process.stdout.write(`${line(name, result)}\n`);
    findings += result.findings.length;
    for (const { index, what, why } of result.findings) {
      const file = save(root, name, seed, index, all.at(index).bytes);
      process.stdout.write(
        `  ${what}: ${why}\n    ${file}\n    npm run fuzz -- --seed ${seed} --only ${name} --case ${index}\n`,
      );
    }
  }
  process.stdout.write(findings === 0 ? 'nothing is wrong\n' : `${findings} of these cases went wrong\n`);
  return findings === 0 ? 0 : 1;
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;

function line(name: string, { cases, loaded, readAgain, slowest, largest }: SessionResult): string {
  const again = readAgain > 0 ? `, ${readAgain} of them read again by Python` : '';
  const memory = largest > 0 ? `, at most ${megabytes(largest)}` : '';
  return `${name}: ${cases} cases, ${loaded} read${again}; at most ${slowest.toFixed(0)} ms${memory}`;
}

function save(root: string, name: string, seed: number, index: number, bytes: Uint8Array): string {
  const folder = join(root, 'tests/artifacts/fuzz');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${seed}-${index}`);
  writeFileSync(file, bytes);
  return file;
}
