/** The stage *clean*: what it changes, what it leaves alone, and that nothing else is lost. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sumNotes, visible, type Notes } from '../../../main/storage/texts/clean/findings.js';
import { readTexts } from '../../../main/storage/texts/read-texts.js';
import { cleanings } from '../../../shared/config/data.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function clean(text: string, { keep = 'nothing', name = 'text.txt', pieceBytes = 1 << 20 } = {}) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  let cleaned = '';
  const notes: Notes[] = [];
  const options = { keep, pieceBytes, onFile: (facts: { notes: Notes }) => notes.push(facts.notes) };
  for await (const piece of readTexts([file], options)) cleaned += piece.text;
  return { cleaned, notes: sumNotes(notes) };
}

/** Breaks a text into lines as an editor does. */
function wrap(text: string, width: number, separator = ' '): string {
  const lines = [''];
  for (const word of text.split(separator)) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + separator.length + word.length <= width) lines[lines.length - 1] = line + separator + word;
    else lines.push(word);
  }
  return lines.join('\n');
}

const sentences = [
  'The old captain had been at sea for forty years, and nothing that the weather did surprised him any longer.',
  'When the wind turned in the night he was awake before the watch could call him, and he knew what it meant.',
  'Nobody on the island remembered a winter as long as that one, though some of them were over eighty years old.',
  'She put the letter back into the drawer without reading it, because she had understood from the handwriting.',
  'There was a light in the harbour, and then a second one, and both of them moved slowly towards the open water.',
  'It is a strange thing to return to a house in which other people have lived for as long as oneself.',
];
const prose = (from: number, count = 4): string =>
  Array.from({ length: count }, (_, i) => sentences[(from + i) % sentences.length]).join(' ');
const paragraphs = Array.from({ length: 6 }, (_, i) => `${i} ${prose(i)}`);

const verse = `Of Man's first disobedience, and the fruit
Of that forbidden tree whose mortal taste
Brought death into the World, and all our woe,
With loss of Eden, till one greater Man
Restore us, and regain the blissful seat,
Sing, Heavenly Muse, that, on the secret top`;
const play = `First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak.

First Citizen:
You are all resolved rather to die than to famish?`;
const code = `    for (let i = 0; i < lines.length; i++) {
      const line = lines[i];
      if (line === undefined) continue;
      out.push(line.trimEnd());
    }`;
const table = `Name        Length     Depth of the keel
Albatross   20 m       3.5 m under full load
Petrel      14 m       2.0 m under full load
Kittiwake   9 m        1.2 m under full load`;
const list = `- flour and yeast
- butter, at room temperature
- two eggs
- a little salt`;

describe('hard-wrapped lines', () => {
  it.each([40, 60, 72, 100])('are joined at %i columns', async (width) => {
    const wrapped = paragraphs.map((one) => wrap(one, width));
    const { cleaned, notes } = await clean(`${wrapped.join('\n\n')}\n`);
    expect(cleaned).toBe(`${paragraphs.join('\n\n')}\n`);
    expect(notes.lines?.count).toBe(wrapped.join('\n\n').match(/[^\n]\n(?!\n)/g)?.length);
    expect(notes.lines?.places[0]).toEqual({
      before: expect.stringContaining('\n'),
      after: expect.not.stringContaining('\n'),
    });
  });

  it('are joined between indented paragraphs', async () => {
    const wrapped = paragraphs.map((one) => `   ${wrap(one, 60)}`);
    expect((await clean(wrapped.join('\n'))).cleaned).toBe(paragraphs.map((one) => `   ${one}`).join('\n'));
  });

  it.each([
    ['verse', verse],
    ['a play', play],
    ['code', code],
    ['a table', table],
    ['a list', list],
  ])('leave %s alone, by itself and among wrapped prose', async (_, text) => {
    expect((await clean(text)).cleaned).toBe(text);
    const around = paragraphs.map((one) => wrap(one, 72));
    const mixed = [...around.slice(0, 3), text, ...around.slice(3)].join('\n\n');
    const whole = [...paragraphs.slice(0, 3), text, ...paragraphs.slice(3)].join('\n\n');
    expect((await clean(mixed)).cleaned).toBe(whole);
  });

  it('leave code, hard breaks and headings of Markdown alone', async () => {
    const text = ['# A title', '```', wrap(prose(0, 6), 60), '```', '    code', 'A line  ', 'another'].join('\n');
    expect((await clean(text, { name: 'text.md' })).cleaned).toBe(text);
  });

  const chinese =
    '那年冬天特别冷，河面上结了厚厚的冰，孩子们每天放学以后都到河边去滑冰，一直玩到天黑才回家吃饭。老人说他从来没有见过这样大的雪，村子里的路都被雪盖住了，谁也出不了门，只好坐在火炉旁边讲故事。';
  const thai =
    'เมื่อครั้งยังเป็นเด็กข้าพเจ้าชอบไปเที่ยวที่ริมแม่น้ำกับปู่ทุกวันหลังเลิกเรียนเราจะนั่งดูเรือที่แล่นผ่านไปมาแล้วปู่ก็จะเล่าเรื่องเก่าให้ฟังจนกระทั่งพระอาทิตย์ตกดินจึงพากันเดินกลับบ้านอย่างมีความสุข';
  const arabic =
    'كان الشيخ يجلس كل مساء أمام بيته القديم وينظر إلى البحر ثم يحكي للأطفال قصصا عن السفن التي رحلت ولم تعد وعن الرجال الذين عرفهم في شبابه قبل أن تتغير المدينة ويهجرها أهلها إلى البلاد البعيدة في الشمال';
  const chunks = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'gu'))?.join('\n') ?? '';
  it.each([
    ['Chinese', chunks(chinese, 30), chinese],
    ['Thai', chunks(thai, 50), thai],
    ['Arabic', wrap(arabic, 60), arabic],
  ])('join %s as it is written', async (_, wrapped, whole) => {
    expect((await clean([wrapped, wrapped, wrapped].join('\n\n'))).cleaned).toBe(
      [whole, whole, whole].join('\n\n').slice(0, whole.length < 200 ? undefined : whole.length),
    );
  });

  it('stay if the user says so', async () => {
    const text = `${paragraphs.map((one) => wrap(one, 60)).join('\n\n')}\n`;
    expect((await clean(text, { keep: 'pages,lines' })).cleaned).toBe(text);
  });
});

describe('hyphens at line ends', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['joins what occurs elsewhere', 'an encyclo-\npedia and an encyclopedia', 'an encyclopedia\nand an encyclopedia'],
    ['joins halves that are no words', 'the govern-\nment of this', 'the government\nof this'],
    [
      'leaves two words',
      'a self-\nmade man, he made it all by the self',
      'a self-\nmade man, he made it all by the self',
    ],
    ['leaves a suspended hyphen', 'Haus-\nund Hofhund', 'Haus-\nund Hofhund'],
    ['takes out a soft hyphen', 'the govern\u00ad\nment', 'the government'],
    ['leaves a name', 'Anne-\nMarie', 'Anne-\nMarie'],
  ];
  it.each(cases)('%s', async (_, text, expected) => expect((await clean(text)).cleaned).toBe(expected));
});

describe('page numbers and running heads', () => {
  const lines = wrap(prose(0, 120).replaceAll('.', ','), 70).split('\n');
  const pages = Array.from({ length: 8 }, (_, i) => lines.slice(14 * i, 14 * i + 14).join('\n'));
  const cut = async (made: string) => (await clean(made, { keep: 'lines,duplicates' })).cleaned.trimEnd();

  it.each([
    ['numbers', (page: string, i: number) => `${page}\n\n${i + 11}\n\n`],
    ['numbers in dashes', (page: string, i: number) => `${page}\n\n- ${i + 11} -\n\n`],
    ['numbers within the text', (page: string, i: number) => `${page}\n${i + 11}\n`],
    ['a head with the number', (page: string, i: number) => `${page}\n\nTHE OLD CAPTAIN ${i + 11}\n\n`],
    ['a number and a head', (page: string, i: number) => `${page}\n\n${i + 11}\n\nTHE OLD CAPTAIN\n\n`],
    ['a head at regular distances', (page: string) => `${page}\n\nTHE OLD CAPTAIN\n\n`],
  ])('go where they interrupt sentences: %s', async (_, made) => {
    expect(await cut(pages.map(made).join(''))).toBe(pages.join('\n'));
  });

  it('go at form feeds, numbers, heads of both sides and of the chapter', async () => {
    const made = pages.map(
      (page, i) => `${i % 2 ? 'THE OLD CAPTAIN' : `${i + 3}   A Winter`}\n\n${page}\n\n${i + 3}\n`,
    );
    expect(await cut(made.join('\f'))).toBe(`${pages.join('\n')}`);
  });

  it.each([
    ['chapters', (i: number) => `${i + 1}\n\n${wrap(prose(i, 10), 70)}\n\n`],
    ['named chapters', (i: number) => `CHAPTER ${i + 1}\n\n${wrap(prose(i, 10), 70)}\n\n`],
    ['a refrain', (i: number) => `Sing ho, sing ho!\n\n${wrap(prose(i, 10), 70)}\n\n`],
    ['years', (i: number) => `In the year ${1850 + i} it was cold.\n\n${wrap(prose(i, 10), 70)}\n\n`],
  ])('are not taken for %s', async (_, made) => {
    const text = Array.from({ length: 8 }, (_one, i) => made(i)).join('');
    expect((await clean(text, { keep: 'lines,duplicates' })).cleaned).toBe(text);
  });
});

describe('Markdown', () => {
  it.each([
    ['See [the log](https://a.example/b_(c) "Log"), page 2.', 'See the log, page 2.'],
    [
      '![A whale](whale.png) and [one][1] and <https://a.example>.\n\n[1]: https://a.example',
      'A whale and one and .\n',
    ],
    ['Before\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nafter', 'Before\n\n\nafter'],
    ['```\n[a](b)\n```\nAn array[0](1) stays? [x]', '```\n[a](b)\n```\nAn array0 stays? [x]'],
  ])('%j becomes plain', async (text, expected) => {
    expect((await clean(text, { name: 'text.md' })).cleaned).toBe(expected);
    expect((await clean(text, { name: 'text.txt' })).cleaned).toBe(text);
  });
});

describe('duplicates', () => {
  it('of long paragraphs go, within and between texts', async () => {
    const text = `${paragraphs[0]}\n\nShort.\n\n${paragraphs[0]}\n\nShort.\n`;
    const { cleaned, notes } = await clean(text);
    expect(cleaned).toBe(`${paragraphs[0]}\n\nShort.\n\nShort.\n`);
    expect(notes.duplicates).toMatchObject({ count: 1, removed: visible(paragraphs[0] ?? '') });
    const lines = [0, 1, 0].map((i) => JSON.stringify({ text: paragraphs[i] })).join('\n');
    expect((await clean(lines, { name: 'text.jsonl' })).cleaned).toBe(`${paragraphs[0]}\n${paragraphs[1]}`);
  });
});

/** Texts of everything that cleaning looks for, in any order. */
const pieceOfText = fc.oneof(
  fc.nat(20).map((i) => wrap(prose(i, 1 + (i % 5)), 40 + 2 * i)),
  fc.nat(20).map((i) => `${prose(i, 2)} Some govern-\nment and self-\nmade encyclo-\npedia`),
  fc.constantFrom(
    verse,
    play,
    code,
    table,
    list,
    'CHAPTER 3',
    'THE OLD CAPTAIN',
    '* * *',
    '| a | b |\n|---|---|\n| 1 | 2 |',
  ),
  fc.nat(12).map((i) => `- ${i} -`),
  fc.nat(12).map((i) => `${prose(i, 2).slice(0, -7)}\n\n${i}\n\n${prose(i + 3, 5).slice(9)}`),
  fc.constantFrom('[a](b)[c](d)', '[[x](y)](z)', '![', 'x](y)', '\f', '一二三四五六七八九十\n一二三', '<http://a>'),
  fc.stringMatching(/^[a-c A-C.\-|[\]()]{0,40}$/),
);
const texts = fc
  .array(fc.tuple(pieceOfText, fc.constantFrom('\n', '\n\n', ' ', '\n\n\n', '\n  ')), { minLength: 1, maxLength: 40 })
  .map((parts) => parts.map(([text, end]) => text + end).join(''));
const name = fc.constantFrom('text.txt', 'text.md');

describe('any text', () => {
  // Each by itself: what one of them joins, another may find to be a repetition.
  it.each(['hyphens', 'markdown', 'duplicates', 'lines', 'pages'] as const)(
    'is clean once it has been cleaned of %s',
    async (cleaning) => {
      const keep = cleanings.filter((other) => other !== cleaning).join();
      await fc.assert(
        fc.asyncProperty(texts, name, async (text, file) => {
          const { cleaned } = await clean(text, { name: file, keep });
          if (cleaned !== '') expect((await clean(cleaned, { name: file, keep })).cleaned).toBe(cleaned);
        }),
        { numRuns: 100 },
      );
    },
  );

  it('loses nothing that is not reported, and keeps its order', async () => {
    await fc.assert(
      fc.asyncProperty(texts, name, async (text, file) => {
        const { cleaned, notes } = await clean(text, { name: file });
        const removed = Object.values(notes).reduce((sum, found) => sum + found.removed, 0);
        expect(visible(text) - visible(cleaned)).toBe(removed);
        const before = text.replace(/\s+/g, '');
        let at = 0;
        for (const unit of cleaned.replace(/\s+/g, '')) at = before.indexOf(unit, at) + 1 || Infinity;
        expect(at).toBeLessThanOrEqual(before.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is cleaned alike however much is read at a time', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 300 }), async (text, pieceBytes) => {
        expect((await clean(text, { pieceBytes })).cleaned).toBe((await clean(text)).cleaned);
      }),
      { numRuns: 60 },
    );
    const long = Array.from({ length: 3000 }, (_, i) => wrap(`${i} ${prose(i)}`, 70)).join('\n\n');
    const { cleaned } = await clean(long);
    expect(cleaned.match(/[^\n]\n(?!\n)/g)).toBeNull();
    expect((await clean(long, { pieceBytes: 77_777 })).cleaned).toBe(cleaned);
  });

  it.each([
    ['numbers', '7\n8\n9\n'],
    ['blank lines', '\n\n \n'],
    ['brackets', '[a](b [![[ <http://'],
    ['hyphens', 'ab-\ncd-\n'],
    ['form feeds', 'A\n\f1\n\f'],
    ['one line', 'word '],
  ])('of nothing but %s is read to its end', async (_, unit) => {
    const text = unit.repeat(600_000 / unit.length);
    expect((await clean(text, { name: 'text.md' })).cleaned.length).toBeLessThanOrEqual(text.length);
  });
});
