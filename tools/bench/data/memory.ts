/** How much memory preparing a text takes that is larger than that. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bookOf, type Figure, type Setting } from './setting.js';
import { variedText, wordsOf } from './varied-text.js';

const preparedSchema = z.object({ peak: z.number(), seconds: z.number(), tokens: z.number() });

export function memory(setting: Setting): Figure[] {
  const file = join(setting.folder, 'large.txt');
  const bytes = 2e9 * setting.size;
  const piece = Math.min(20e6, bytes);
  const figures: Figure[] = [];
  for (const tokenization of ['char', 'bpe'] as const) {
    // Characters are at most 65,536 different ones, so only bpe gets text of every kind; zero bytes no text may hold.
    const kinds = tokenization === 'char' ? [] : [...variedText(wordsOf(setting.book), piece, 3)];
    const block = Buffer.from(bookOf(setting, piece) + kinds.join('').replaceAll('\0', ' '));
    const handle = openSync(file, 'w');
    for (let written = 0; written < bytes; written += block.length) writeSync(handle, block);
    closeSync(handle);
    const { size } = statSync(file);
    const program = join(dirname(fileURLToPath(import.meta.url)), 'prepare.js');
    const outDir = join(setting.folder, `large-${tokenization}`);
    const child = spawnSync(process.execPath, [program, file, outDir, tokenization], { encoding: 'utf8' });
    if (child.status !== 0) throw new Error(child.stderr);
    const { peak, seconds, tokens } = preparedSchema.parse(JSON.parse(child.stdout));
    rmSync(outDir, { recursive: true });
    rmSync(file);
    figures.push({
      name: `memory to prepare ${(size / 1e9).toFixed(2)} GB, ${tokenization}`,
      measured: `${peak.toFixed(0)} MB (${seconds.toFixed(0)} s, ${(size / 1e6 / seconds).toFixed(0)} MB/s, ${tokens.toLocaleString('en-US')} tokens)`,
      must: 'under 400 MB',
      isMet: peak < 400,
    });
    setting.say(`  ${figures.at(-1)?.measured ?? ''}`);
  }
  return figures;
}
