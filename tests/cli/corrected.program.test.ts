/** The command as it should have been typed: printed when every mistake can be fixed, and then it works. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandLine, shellWord } from '../../shared/config/command-line.js';
import { temporaryFolder, verisim } from './program.js';

describe('a command line', () => {
  it('is read by a shell as the words it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        fc.pre(!value.includes('\0'));
        const line = commandLine('sample', { prompt: value, num_samples: 2, top_k: null });
        const words = line.slice(line.indexOf(' sample ') + 1);
        const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' });
        const prompt = value.startsWith('--') ? [`--prompt=${value}`] : ['--prompt', value];
        expect(stdout.split('\0')).toEqual(['sample', ...prompt, '--num_samples', '2', '--top_k', 'none', '']);
      }),
      {
        numRuns: 60,
        examples: ['--a b', String.raw`a b\c`, String.raw`a\\b`, 'a\\\nb', 'a b\\', 'a\\"$b`!'].map((one) => [one]),
      },
    );
  });

  it('has a path of Windows as both of its shells take it', () => {
    expect(shellWord(String.raw`C:\my books\one.txt`)).toBe(String.raw`"C:\my books\one.txt"`);
  });
});

describe('a mistake', () => {
  it('that can be fixed is followed by the corrected command', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'book one.txt'), 'x');
    const { stderr, code } = await verisim(
      ['train', '--data_path', 'book on.txt', '--n_layers', '2', '--n_embd', '130', '--bias=false'],
      { cwd },
    );
    expect(code).toBe(2);
    expect(stderr.split('\n').slice(-3)).toEqual([
      'Corrected command:',
      "  npm run -s verisim -- train --data_path 'book one.txt' --n_embd 128 --bias false --n_layer 2",
      '',
    ]);
  });

  it('that cannot be fixed is not, nor is any other beside it', async () => {
    const { stderr } = await verisim(['train', '--data_path', '/nowhere/at/all.txt', '--block_size', '1']);
    expect(stderr).toContain('ERROR: block_size must be');
    expect(stderr).not.toContain('Corrected command');
  });
});
