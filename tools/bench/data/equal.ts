/** That the ids are tiktoken's, number by number. */
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { tokenBytes } from '../../../main/storage/datasets/token-files.js';
import { awkwardTexts, randomTexts } from './cases.js';
import type { Figure, Setting } from './setting.js';
import { variedText, wordsOf } from './varied-text.js';

/** Where two files of ids first differ, in words; null when they are the same. */
function difference(ours: Buffer, theirs: Buffer): string | null {
  if (ours.equals(theirs)) return null;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at++;
  return `${ours.length / 2} and ${theirs.length / 2} numbers, different from number ${at >> 1} on`;
}

export async function equalIds(setting: Setting): Promise<Figure[]> {
  const peer = await setting.tiktoken();
  const bpe = await loadBpeTokenizer();
  const [input, output] = [join(setting.folder, 'equal.txt'), join(setting.folder, 'equal.ids')];
  const figures: Figure[] = [];
  const add = (name: string, differs: string | null): void => {
    figures.push({
      name: `ids of ${name}`,
      measured: differs ?? 'the same',
      must: 'the same',
      isMet: differs === null,
    });
    setting.say(`  ${name}: ${differs ?? 'the same'}`);
  };
  const wholeText = async (name: string, pieces: Iterable<string>): Promise<void> => {
    const handle = openSync(input, 'w');
    const encoder = bpe.createEncoder();
    const ids: Uint8Array[] = [];
    for (const piece of pieces) {
      writeSync(handle, piece);
      ids.push(tokenBytes(encoder.push(piece)));
    }
    ids.push(tokenBytes(encoder.flush()));
    closeSync(handle);
    await peer.encode({ text: input }, output);
    const size = `${(statSync(input).size / 1e6).toFixed(1)} MB`;
    add(`${name} (${size})`, difference(Buffer.concat(ids), readFileSync(output)));
  };
  const eachText = async (name: string, texts: readonly string[]): Promise<void> => {
    writeFileSync(input, texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
    const ids = texts.flatMap((text) => {
      const own = bpe.encode(text);
      return [new Uint8Array(Uint32Array.of(own.length).buffer), tokenBytes(own)];
    });
    await peer.encode({ strings: input }, output);
    add(
      `${name} (${texts.length.toLocaleString('en-US')} texts)`,
      difference(Buffer.concat(ids), readFileSync(output)),
    );
  };
  await wholeText('varied Unicode text', variedText(wordsOf(setting.book), 50e6 * setting.size, 1));
  await wholeText('the sample text', [setting.book]);
  const shakespeare = join(setting.root, '../shared/data/tinyshakespeare.txt');
  const other = process.env['VERISIM_TEXT'] ?? shakespeare;
  try {
    await wholeText('tinyshakespeare', [readFileSync(other, 'utf8')]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    setting.say(`  tinyshakespeare is not at ${other}; VERISIM_TEXT names another place`);
  }
  await eachText('emoji with joiners, controls, half characters, a megabyte without a space', awkwardTexts());
  await eachText('random strings', randomTexts(Math.ceil(100_000 * setting.size), 1));
  return figures;
}
