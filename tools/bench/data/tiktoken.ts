/** OpenAI's tiktoken as a process that answers, in a Python environment of its own in the cache folder. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { findPython } from '../../../scripts/setup/python.mjs';
import { SetupProblem } from '../../../scripts/setup/report.mjs';
import { lastLines, run } from '../../../scripts/setup/run.mjs';
import { cacheFolder } from '../../../main/installation/locations.mjs';

const answerSchema = z.object({ seconds: z.number(), cpu: z.number(), tokens: z.number(), version: z.string() });
export type Answer = z.infer<typeof answerSchema>;

export interface Tiktoken {
  /** Encodes a file; with `ids`, where the ids are written. */
  encode(request: { readonly text: string } | { readonly strings: string }, ids?: string): Promise<Answer>;
  close(): void;
}

/** The table of tokens as tiktoken reads it. */
async function writeTable(path: string): Promise<void> {
  const { default: tokens } = await import('gpt-tokenizer/bpeRanks/r50k_base');
  const lines = tokens.map((token, id) => `${Buffer.from(token as string).toString('base64')} ${id}\n`);
  writeFileSync(path, lines.join(''));
}

/** @param chosen a Python that has tiktoken already */
async function pythonWithTiktoken(root: string, chosen: string | null, say: (line: string) => void): Promise<string> {
  if (chosen !== null) return chosen;
  const requirements = join(root, 'tools/bench/data/requirements.txt');
  const folder = join(cacheFolder(), 'tiktoken');
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const stamp = join(folder, 'installed');
  const key = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(python) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return python;

  say(`Installing tiktoken into ${folder}, once.`);
  mkdirSync(folder, { recursive: true });
  rmSync(stamp, { force: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '-r', requirements];
  const steps: readonly (readonly [string, readonly string[]])[] = [
    [await findPython(), ['-m', 'venv', '--clear', folder]],
    [python, install],
  ];
  for (const [program, args] of steps) {
    const { code, stderr } = await run(program, args);
    if (code !== 0)
      throw new SetupProblem(`tiktoken could not be installed (${lastLines(stderr, 3)})`, 'npm run bench:data');
  }
  writeFileSync(stamp, key);
  return python;
}

export async function startTiktoken(options: {
  readonly root: string;
  readonly folder: string;
  readonly python: string | null;
  readonly say: (line: string) => void;
}): Promise<Tiktoken> {
  const { root, folder, say } = options;
  const python = await pythonWithTiktoken(root, options.python, say);
  const table = join(folder, 'r50k_base.tiktoken');
  await writeTable(table);
  const child = spawn(python, [join(root, 'tools/bench/data/tiktoken_peer.py'), table], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async encode(request, ids) {
      child.stdin.write(`${JSON.stringify(ids === undefined ? request : { ...request, ids })}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('tiktoken ended; what it said is above');
      return answerSchema.parse(JSON.parse(value));
    },
    close: () => {
      child.stdin.end();
    },
  };
}
