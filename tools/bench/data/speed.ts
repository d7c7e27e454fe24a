/** How fast texts become ids: characters alone, bpe in turns with tiktoken. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CharacterCensus, createCharTokenizer, loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { bookOf, type Figure, median, ROUNDS, type Setting } from './setting.js';
import { variedText, wordsOf } from './varied-text.js';

/** In UTF-16 units, as files are read. */
const PIECE = 1 << 20;

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

export function charSpeed(setting: Setting): Figure[] {
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

export async function bpeSpeed(setting: Setting): Promise<Figure[]> {
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
