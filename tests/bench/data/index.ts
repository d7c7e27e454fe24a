/**
 * `npm run bench:data`: data preparation against its figures. How fast texts become tokens, beside OpenAI's tiktoken in
 * turns; that the ids are the same; how much memory two gigabytes take; how much faster binary mode loads.
 * docs/benchmarks-data.md says what each line means. Started by run.mjs, which bundles it.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { SetupProblem } from '../../../scripts/setup/report.mjs';
import { CharacterCensus, createCharTokenizer, loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { tokenBytes } from '../../../main/storage/token-files.js';
import { openBinaryData, prepareText } from '../../../main/storage/prepare-text.js';
import { sampleTextPath } from '../../../main/storage/tensorflow-location.js';
import { awkwardTexts, randomTexts } from './cases.js';
import { startTiktoken, type Tiktoken } from './tiktoken.js';
import { variedText, wordsOf } from './varied-text.js';

const parts = ['char', 'bpe', 'equal', 'load', 'memory'] as const;
type Part = (typeof parts)[number];

const usage = `npm run bench:data [-- options]
  --only a,b      ${parts.join(', ')}
  --size SHARE    a share of the text everywhere, such as 0.1 for a quick look
  --python FILE   a Python that has tiktoken; nothing is installed`;

interface Setting {
  readonly root: string;
  readonly folder: string;
  /** Share of the full amount of text. */
  readonly size: number;
  readonly book: string;
  readonly say: (line: string) => void;
  /** Starts tiktoken when it is first needed. */
  readonly tiktoken: () => Promise<Tiktoken>;
}

/** One figure: whether it is met, or null when it is only for information. */
interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly must: string;
  readonly isMet: boolean | null;
}

const ROUNDS = 5;
const PIECE = 1 << 20;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, i) => text.slice(i * PIECE, (i + 1) * PIECE));

interface Timed {
  readonly seconds: number;
  /** Processor time of the whole process. */
  readonly cpu: number;
}

function timed(work: () => void): Timed {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

/** The book as often as it takes, a different one each time as far as the cache of pieces can tell. */
const bookOf = ({ book }: Setting, bytes: number): string =>
  book.repeat(Math.ceil(bytes / Buffer.byteLength(book))).slice(0, bytes);

function charSpeed(setting: Setting): Figure[] {
  const pieces = piecesOf(bookOf(setting, 50e6 * setting.size));
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const census = new CharacterCensus();
  const counted = Array.from({ length: ROUNDS }, () => timed(() => pieces.forEach((piece) => census.add(piece))).cpu);
  const tokenizer = createCharTokenizer(census.characters());
  const encoded = Array.from(
    { length: ROUNDS },
    () => timed(() => pieces.forEach((piece) => tokenizer.encode(piece))).cpu,
  );
  const [counting, encoding] = [bytes / 1e6 / median(counted), bytes / 1e6 / median(encoded)];
  return [
    { name: 'char: text to ids', measured: `${encoding.toFixed(0)} MB/s`, must: '100 MB/s', isMet: encoding >= 100 },
    { name: 'char: counting the characters before', measured: `${counting.toFixed(0)} MB/s`, must: '', isMet: null },
  ];
}

async function bpeSpeed(setting: Setting): Promise<Figure[]> {
  const peer = await setting.tiktoken();
  const bpe = await loadBpeTokenizer();
  const varied = [...variedText(wordsOf(setting.book), 10e6 * setting.size, 2)].join('');
  const texts = [
    ['a book in English', bookOf(setting, 10e6 * setting.size)],
    ['text of every kind', varied],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, text] of texts) {
    const file = join(setting.folder, 'speed.txt');
    writeFileSync(file, text);
    const mb = Buffer.byteLength(text) / 1e6;
    const [ours, theirs]: [Timed[], Timed[]] = [[], []];
    let count = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const own = timed(() => {
        const encoder = bpe.createEncoder();
        count = piecesOf(text).reduce((sum, piece) => sum + encoder.push(piece).length, 0) + encoder.flush().length;
      });
      const answer = await peer.encode({ text: file });
      if (answer.tokens !== count) throw new Error(`${name}: ${count} tokens here, ${answer.tokens} of tiktoken`);
      if (round === 0) continue; // both warm
      ours.push(own);
      theirs.push(answer);
    }
    const speeds = (of: keyof Timed): readonly [number, number] => [
      mb / median(ours.map((one) => one[of])),
      mb / median(theirs.map((one) => one[of])),
    ];
    const [own, their] = speeds('cpu');
    const [ownWall, theirWall] = speeds('seconds');
    const ratio = own / their;
    figures.push({
      name: `bpe: ${name}`,
      measured: `${ratio.toFixed(2)} × tiktoken (${own.toFixed(1)} and ${their.toFixed(1)} MB per second of processor time; by the clock ${ownWall.toFixed(1)} and ${theirWall.toFixed(1)})`,
      must: '1.0 × tiktoken',
      isMet: ratio >= 1,
    });
  }
  return figures;
}

/** Where two files of ids first differ, in words; null when they are the same. */
function difference(ours: Buffer, theirs: Buffer): string | null {
  if (ours.equals(theirs)) return null;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at++;
  return `${ours.length / 2} and ${theirs.length / 2} numbers, different from number ${at >> 1} on`;
}

async function equalIds(setting: Setting): Promise<Figure[]> {
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

async function loading(setting: Setting): Promise<Figure[]> {
  const sizes = [
    ['a text of 1.1 MB', 1_115_394],
    ['a text of 10 MB', 10_000_000 * setting.size],
  ] as const;
  const outDir = join(setting.folder, 'data');
  const [trainBin, valBin] = [join(outDir, 'train.bin'), join(outDir, 'val.bin')];
  const figures: Figure[] = [];
  for (const [name, bytes] of sizes) {
    const dataPath = join(setting.folder, 'load.txt');
    writeFileSync(dataPath, bookOf(setting, bytes));
    const [texts, binaries]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await prepareText({ dataPath, tokenization: 'char', trainSplit: 0.9, outDir });
      const prepared = performance.now();
      const data = await openBinaryData({ trainBin, valBin, tokenization: 'auto' });
      data.train.read(0, 65);
      data.close();
      texts.push(prepared - start);
      binaries.push(performance.now() - prepared);
    }
    const [text, binary] = [median(texts), median(binaries)];
    figures.push({
      name: `binary against text mode, ${name}`,
      measured: `${(text / binary).toFixed(1)} × (${text.toFixed(0)} ms and ${binary.toFixed(1)} ms)`,
      must: '8 ×',
      isMet: text / binary >= 8,
    });
  }
  return figures;
}

const preparedSchema = z.object({ peak: z.number(), seconds: z.number(), tokens: z.number() });

function memory(setting: Setting): Figure[] {
  const file = join(setting.folder, 'large.txt');
  const bytes = 2e9 * setting.size;
  const figures: Figure[] = [];
  for (const tokenization of ['char', 'bpe'] as const) {
    // Characters are at most 65,536 different ones, so only bpe gets text of every kind.
    // Zero bytes are the one thing that no text file may hold.
    const text = [...variedText(wordsOf(setting.book), 20e6, 3)].join('').replaceAll('\0', ' ');
    const varied = tokenization === 'bpe' ? text : '';
    const block = Buffer.from(bookOf(setting, 20e6) + varied);
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
