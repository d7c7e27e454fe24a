/** Files that were read, read again by Python's own pickle and zipfile (judge.py). */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadedFile } from './protocol.js';

const program = (root: string) => fileURLToPath(new URL('tools/fuzz/judge.py', root));

interface Difference<T> {
  readonly file: T;
  readonly why: string;
}

/** @param root the repository, as a URL that ends in "/" */
export async function compareWithPython<T extends LoadedFile>(
  subject: string,
  files: readonly T[],
  root = new URL('../../', import.meta.url).href,
): Promise<{ readonly readAgain: number; readonly differences: readonly Difference<T>[] }> {
  if (files.length === 0) return { readAgain: 0, differences: [] };
  const answers = await python(program(root), [subject], files.map(({ bytes }) => `${bytes}\n`).join(''));
  if (answers.length !== files.length) throw new Error(`judge.py answered ${answers.length} of ${files.length} times`);
  let readAgain = 0;
  const differences: Difference<T>[] = [];
  for (const [i, file] of files.entries()) {
    const answer = answers[i] ?? '';
    // What Python does not read says nothing about what we read.
    if (answer.startsWith('?')) continue;
    readAgain++;
    if (answer !== file.value) {
      differences.push({ file, why: `it reads ${file.value.slice(0, 300)}, Python ${answer.slice(0, 300)}` });
    }
  }
  return { readAgain, differences };
}

/** Reading thousands of files takes it seconds; on a busy machine, a minute. */
const PATIENCE_MS = 240_000;

function python(file: string, args: readonly string[], input: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const running = spawn('python3', [file, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    const pieces: Buffer[] = [];
    running.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    running.on('error', reject);
    running.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(pieces).toString('utf8').split('\n').slice(0, -1));
      else reject(new Error(`judge.py ended with ${signal ?? String(code)}`));
    });
    running.stdin.on('error', () => undefined);
    running.stdin.end(input);
  });
}
