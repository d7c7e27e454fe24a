// Kinds of files as users have them: what is read of each, and how it is described or refused.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as zlib from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInputs, type InputFacts, readTexts } from '../../../main/storage/texts/read-texts.js';
import { inEnglish } from '../../support/messages.js';
import { faultOfAsync } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
/** Letters of Cyrillic, as Windows-1251 and KOI8-R have them. */
const cyrillic = (text: string, upper: string, lower: string): Buffer => {
  const from = 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя';
  const bytes = Buffer.from(upper + lower, 'hex');
  return Buffer.from(
    [...text].map((one) => (from.includes(one) ? (bytes[from.indexOf(one)] ?? 0) : one.charCodeAt(0))),
  );
};
const hex = (from: number, count: number): string =>
  Buffer.from(Array.from({ length: count }, (_, i) => from + i)).toString('hex');
const russian = 'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.';
const koi8 = 'e1e2f7e7e4e5f6fae9eaebecedeeeff0f2f3f4f5e6e8e3fefbfdfff9f8fce0f1';
const koi8Lower = 'c1c2d7c7c4c5d6dac9cacbcccdcecfd0d2d3d4d5c6c8c3dedbdddfd9d8dcc0d1';

const german = 'Der große Bär lief über die Straße und fragte: „Wie geht’s?“';
const german1252 = Buffer.from(
  [...german].map((one) => ({ '„': 0x84, '’': 0x92, '“': 0x93 })[one] ?? one.charCodeAt(0)),
);
const chat = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
];
const telegram = {
  name: 'Ann',
  messages: [
    { type: 'service', actor: 'Ann', text: '' },
    { from: 'Ann', date: '2024', text: ['See ', { type: 'link', text: 'this' }] },
    { from: 'Ben', text: 'Yes' },
  ],
};
const discord = {
  channel: { name: 'general' },
  messages: [
    { type: 'GuildMemberJoin', content: 'Joined the server.', author: { name: 'ann' } },
    { type: 'Default', content: 'Hi', author: { name: 'ann', nickname: 'Ann' } },
    { type: 'Reply', content: 'Yo', author: { name: 'ben_1' } },
  ],
};
const chatgpt = [
  {
    mapping: {
      a: { message: null },
      b: { message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hello'] } } },
      c: { message: { author: { role: 'assistant' }, content: { parts: ['Hi ', 'there'] } } },
    },
  },
];
const android = [
  '31.12.23, 23:58 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.',
  '31.12.23, 23:59 - Ann: Hi, Ben!',
  '31.12.23, 23:59 - Ben: Hello:',
  'two lines',
  '31.12.23, 23:59 - Ben hat Ann Lee hinzugefügt.',
  '1.1.24, 00:00 - Ben: <Medien ausgeschlossen>',
  '1.1.24, 00:00 - Ben: IMG-20240101-WA0001.jpg (Datei angehängt)',
  '1.1.24, 00:01 - Ann Lee: yes',
].join('\n');
const iphone =
  '\u200e[31/12/2023, 11:59:58\u202fPM] Ann: \u200eMessages and calls are end-to-end encrypted.\r\n[31/12/2023, 11:59:59\u202fPM] Ann: Hi 😀\r\n[01/01/2024, 12:00:01\u202fAM] ~\u202fBen: Two\r\n\r\nparagraphs\r\n\u200e[01/01/2024, 12:00:02\u202fAM] Ben: \u200eimage omitted\r\n';
const notebook = {
  cells: [
    { cell_type: 'markdown', source: ['# One\n', 'two'] },
    { source: 'x = 1', outputs: [] },
  ],
  nbformat: 4,
};
const gutenberg = [
  'The Project Gutenberg eBook of Emma\r\n\r\nThis ebook is for the use of anyone\r\n\r\n',
  '*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***\r\n\r\n\r\nProduced by An Anonymous Volunteer\r\n\r\n',
  'Emma Woodhouse, handsome, clever, and rich\r\n\r\n\r\n',
  '*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\r\n\r\nUpdated editions',
].join('');
const srt =
  '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nthere\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n42\r\n';
const vtt =
  'WEBVTT - Title\n\nNOTE\nunseen\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hello\n\n00:03.000 --> 00:04.000\nthere';
const ass = String.raw`[Script Info]
Title: x

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,unseen
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\i1}Hello,\Nthere{\i0}
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,42`;
const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator no}\f0 caf\'e9 \b bold\b0  \u8222?so\u8220?\par {\pict ffd8}two\~words\line and\{more\}}`;
const fb2 =
  '<?xml version="1.0" encoding="UTF-8"?><FictionBook><description><p>no</p></description><body><title><p>One</p></title><section><p>First.</p><p>Second.</p></section></body><binary>AAAA</binary></FictionBook>';

it.each<[name: string, bytes: string | Uint8Array, text: string, described: string]>([
  ['plain.txt', 'Naïve — prose\n', 'Naïve — prose\n', 'plain text, UTF-8'],
  ['german.txt', german1252, german, 'plain text, converted from Windows-1252'],
  ['german.txt.gz', zlib.gzipSync(german1252), german, 'plain text, gzip, converted from Windows-1252'],
  ['word.txt', latin1('caf\xe9'), 'café', 'plain text, converted from Windows-1252'],
  ['cp1251.txt', cyrillic(russian, hex(0xc0, 32), hex(0xe0, 32)), russian, 'plain text, converted from Windows-1251'],
  ['koi8.md', cyrillic(russian, koi8, koi8Lower), russian, 'plain text, converted from KOI8-R'],
  [
    'rows.jsonl',
    latin1('{"text": "caf\xe9 au lait, d\xe9j\xe0 vu"}'),
    'café au lait, déjà vu',
    'JSON Lines, converted from Windows-1252, 1 text',
  ],
  [
    'stray.txt',
    Buffer.concat([Buffer.from('Größe é ü'), Buffer.from([0xff]), Buffer.from('!')]),
    'Größe é ü\ufffd!',
    'plain text, UTF-8; 1 character could not be read',
  ],
  ['cut.txt', Buffer.from('ä\u{1f600}').subarray(0, 5), 'ä\ufffd', 'plain text, UTF-8; 1 character could not be read'],
  ['odd.txt', Buffer.from('fffe410042', 'hex'), 'A\ufffd', 'plain text, UTF-16LE; 1 character could not be read'],
  ['half.txt', Buffer.from('feff0041d83d', 'hex'), 'A\ufffd', 'plain text, UTF-16BE; 1 character could not be read'],
  [
    'stray.html',
    Buffer.concat([Buffer.from('<p>Größe é'), Buffer.from([0xff]), Buffer.from('!')]),
    'Größe é\ufffd!',
    'HTML; 1 character could not be read',
  ],
  [
    'undeclared.html',
    latin1('<p>Der gro\xdfe B\xe4r l\xe4uft \xfcber die Stra\xdfe'),
    'Der große Bär läuft über die Straße',
    'HTML, converted from Windows-1252',
  ],
  ['page.txt', '\n<!DOCTYPE html><html><body><p>Read</p></body></html>', 'Read', 'HTML'],
  ['list.json', '[{"text": "one"}, {"text": "t\\"w]o"},\n {"text": null}]', 'one\nt"w]o', 'JSON, UTF-8, 2 texts'],
  ['strings.json', '["one", "two, three"]', 'one\ntwo, three', 'JSON, UTF-8, 2 texts'],
  ['list.txt', '[{"id": 1, "text": "one"}]', 'one', 'JSON, UTF-8, 1 text'],
  ['lines.json', '{"text": "one"}\n{"text": "two"}\n', 'one\ntwo', 'JSON, UTF-8, 2 texts'],
  ['list.jsonl', '[\n {"text": "one"}\n]', 'one', 'JSON, UTF-8, 1 text'],
  ['joined.jsonl', '{"text": "one"}\n\ufeff{"text": "two"}', 'one\ntwo', 'JSON Lines, UTF-8, 2 texts'],
  ['chat.jsonl', JSON.stringify({ messages: chat }), 'user: Hello\nassistant: Hi', 'JSON Lines, UTF-8, 1 text'],
  [
    'sharegpt.json',
    JSON.stringify([{ conversations: [{ from: 'human', value: 'Hello' }] }]),
    'human: Hello',
    'JSON, UTF-8, 1 text',
  ],
  ['result.json', JSON.stringify(telegram, null, 1), 'Ann: See this\nBen: Yes', 'JSON, UTF-8, 1 text'],
  ['notes.ipynb', JSON.stringify(notebook, null, 1), '# One\ntwo\nx = 1', 'JSON, UTF-8, 1 text'],
  [
    'reviews.csv',
    'id,title,review\n1,Emma,"Long, and ""witty"",\nin two lines"\n2,Persuasion,Short and sad\n3,Lady Susan,\n',
    'Long, and "witty",\nin two lines\nShort and sad',
    'table, UTF-8, 2 texts; column review',
  ],
  ['named.csv', 'text,comment\nyes,a much longer comment\n', 'yes', 'table, UTF-8, 1 text'],
  [
    'bare.csv',
    '0,"It was a good film, mostly."\r\n4,"I slept through all of it."\r\n',
    'It was a good film, mostly.\nI slept through all of it.',
    'table, UTF-8, 2 texts; column 2',
  ],
  [
    'german.csv',
    latin1('Nr;Brief\n1;Der gro\xdfe B\xe4r, der l\xe4uft\n'),
    'Der große Bär, der läuft',
    'table, converted from Windows-1252, 1 text; column Brief',
  ],
  ['excel.csv', 'sep=|\na|b\n1|One and, two; three\n', 'One and, two; three', 'table, UTF-8, 1 text; column b'],
  ['tabs.tsv', 'id\tbody\n1\tWith, commas, but tabs\n', 'With, commas, but tabs', 'table, UTF-8, 1 text; column body'],
  [
    'wide.csv.gz',
    zlib.gzipSync(Buffer.from('\ufeffid,body\n1,Wide as Excel writes\n', 'utf16le')),
    'Wide as Excel writes',
    'table, gzip, UTF-16LE, 1 text; column body',
  ],
  [
    'joined.csv',
    'id,body\n1,The first of two files\n\ufeffid,body\n1,The second of two files\n',
    'The first of two files\nThe second of two files',
    'table, UTF-8, 2 texts; column body',
  ],
  [
    'cut.csv',
    `id,body\n${'1,The same again\n'.repeat(5)}6,"The last is cu`,
    'The same again\n'.repeat(5).trimEnd(),
    'table, UTF-8, 5 texts; column body; 1 damaged row left out',
  ],
  [
    'some.jsonl',
    `${'{"text": "one"}\n'.repeat(5)}{"text": "tw`,
    'one\n'.repeat(5).trimEnd(),
    'JSON Lines, UTF-8, 5 texts; 1 damaged record left out',
  ],
  [
    'prose.json',
    '[{"id": "a-b", "body": "Several words of it"}]',
    'Several words of it',
    'JSON, UTF-8, 1 text; column body',
  ],
  ['unmarked.txt', Buffer.from('hello there\n', 'utf16le'), 'hello there\n', 'plain text, UTF-16LE'],
  ['unmarked.md', Buffer.from(`# ${russian}`, 'utf16le').swap16(), `# ${russian}`, 'plain text, UTF-16BE'],
  ['unmarked.csv', Buffer.from(`id,body\n1,"${russian}"`, 'utf16le'), russian, 'table, UTF-16LE, 1 text; column body'],
  [
    'WhatsApp Chat with Ann.txt',
    android,
    'Ann: Hi, Ben!\nBen: Hello:\ntwo lines\nAnn Lee: yes',
    'WhatsApp chat, UTF-8, 3 texts; 4 notices and attachments left out',
  ],
  [
    '_chat.txt',
    iphone,
    'Ann: Hi 😀\nBen: Two\n\nparagraphs',
    'WhatsApp chat, UTF-8, 2 texts; 2 notices and attachments left out',
  ],
  [
    'us.txt',
    '12/31/23, 11:59\u202fPM - Ann: Hi\n1/1/24, 12:00\u202fAM - Ben: Happy <This message was edited>',
    'Ann: Hi\nBen: Happy',
    'WhatsApp chat, UTF-8, 2 texts',
  ],
  [
    'iso.txt',
    '2023-12-31 23:59 - Ann: Hej\n2023-12-31 23:59 - Bo: Hallå',
    'Ann: Hej\nBo: Hallå',
    'WhatsApp chat, UTF-8, 2 texts',
  ],
  ['log.txt', '[2023-12-31 23:59:59] INFO: no chat', '[2023-12-31 23:59:59] INFO: no chat', 'plain text, UTF-8'],
  ['discord.json', JSON.stringify(discord, null, 2), 'Ann: Hi\nben_1: Yo', 'JSON, UTF-8, 1 text'],
  [
    'telegrams.json',
    JSON.stringify({ chats: { list: [telegram, { messages: [] }] } }),
    'Ann: See this\nBen: Yes',
    'JSON, UTF-8, 1 text',
  ],
  ['chatgpt.json', JSON.stringify(chatgpt), 'user: Hello\nassistant: Hi there', 'JSON, UTF-8, 1 text'],
  [
    'claude.json',
    JSON.stringify([{ chat_messages: [{ sender: 'human', text: 'Hello' }] }]),
    'human: Hello',
    'JSON, UTF-8, 1 text',
  ],
  [
    'turns.jsonl',
    '{"role":"user","content":"Hello"}\n{"role":"assistant","content":"Hi"}',
    'user: Hello\nassistant: Hi',
    'JSON Lines, UTF-8, 2 texts',
  ],
  ['film.srt', srt, 'Hello\nthere\n42', 'subtitles without times, UTF-8'],
  ['film.vtt', vtt, 'Hello\nthere', 'subtitles without times, UTF-8'],
  ['film.txt', srt, 'Hello\nthere\n42', 'subtitles without times, UTF-8'],
  ['film.ass', ass, 'Hello,\nthere\n42', 'subtitles without times, UTF-8'],
  ['film.md', `\ufeff${ass.replaceAll('\n', '\r\n')}`, 'Hello,\nthere\n42', 'subtitles without times, UTF-8'],
  ['letter.rtf', rtf, 'café bold „so“\n\ntwo\u00a0words\nand{more}', 'RTF'],
  ['letter.txt', rtf, 'café bold „so“\n\ntwo\u00a0words\nand{more}', 'RTF'],
  ['book.fb2', fb2, 'One\n\nFirst.\n\nSecond.', 'FictionBook'],
  [
    'emma.txt',
    gutenberg,
    'Emma Woodhouse, handsome, clever, and rich\n',
    'plain text, UTF-8; Project Gutenberg’s licence removed',
  ],
  ['about.txt', 'About Project Gutenberg\n', 'About Project Gutenberg\n', 'plain text, UTF-8'],
  [
    'post.md',
    '---\ntitle: One\ntags: [a]\n---\n\n# One\n\n---\n',
    '# One\n\n---\n',
    'plain text, UTF-8; front matter removed',
  ],
  ['rule.md', '---\n\nNo: matter\n---\n', '---\n\nNo: matter\n---\n', 'plain text, UTF-8'],
])('%s is read as what it is', async (name, bytes, text, described) => {
  fs.writeFileSync(path.join(folder, name), bytes);
  for (const pieceBytes of [undefined, 3]) {
    const facts: InputFacts[] = [];
    let read = '';
    const options = { onFile: (one: InputFacts) => void facts.push(one), ...(pieceBytes && { pieceBytes }) };
    for await (const piece of readTexts([path.join(folder, name)], options)) read += piece.text;
    expect(read).toBe(text);
    expect(inEnglish(describeInputs(facts))).toBe(described);
  }
});

const csv = 'id,title,review\n1,Emma,Long and witty\n2,Persuasion,Short and sad\n';
it.each<[name: string, bytes: string, given: string, text: string, described: string]>([
  ['table.csv', csv, 'title', 'Emma\nPersuasion', 'table, UTF-8, 2 texts; column title'],
  ['telegram.json', JSON.stringify(telegram), 'Ann', 'See this', 'JSON, UTF-8, 1 text; only the messages by Ann'],
  [
    'telegram.json',
    JSON.stringify(telegram),
    'Ben; Ann',
    'Ann: See this\nBen: Yes',
    'JSON, UTF-8, 1 text; only the messages by Ann, Ben',
  ],
  [
    'chat.jsonl',
    JSON.stringify({ messages: chat }),
    'assistant',
    'Hi',
    'JSON Lines, UTF-8, 1 text; only the messages by assistant',
  ],
  [
    'chat.jsonl',
    JSON.stringify({ messages: chat }),
    'messages',
    'user: Hello\nassistant: Hi',
    'JSON Lines, UTF-8, 1 text',
  ],
  [
    '_chat.txt',
    android,
    'Ann Lee',
    'yes',
    'WhatsApp chat, UTF-8, 1 text; only the messages by Ann Lee; 4 notices and attachments left out',
  ],
])('%s with text_field gives the part that is named', async (name, bytes, textField, text, described) => {
  fs.writeFileSync(path.join(folder, name), bytes);
  const facts: InputFacts[] = [];
  let read = '';
  const options = { textField, onFile: (one: InputFacts) => void facts.push(one) };
  for await (const piece of readTexts([path.join(folder, name)], options)) read += piece.text;
  expect(read).toBe(text);
  expect(inEnglish(describeInputs(facts))).toBe(described);
});

it.each([
  ['table.csv', csv, 'titel', 'has no field "titel"; its fields are "id", "title", "review"', 'text_field'],
  ['chat.jsonl', JSON.stringify({ messages: chat }), 'ann', 'has no message by "ann"', 'Speakers: "user", "assistant"'],
  ['_chat.txt', android, 'Cid', 'has no message by "Cid"', 'Speakers: "Ann", "Ben", "Ann Lee"'],
])(
  '%s with text_field: a part that it lacks is refused with those that it has',
  async (name, bytes, textField, message, hint) => {
    fs.writeFileSync(path.join(folder, name), bytes);
    const read = async () => {
      for await (const _ of readTexts([path.join(folder, name)], { textField }));
    };
    const fault = await faultOfAsync(read());
    expect(fault).toMatchObject({ code: 'bad_input', field: 'text_field' });
    expect(fault.message).toContain(message);
    expect(fault.hint).toContain(hint);
  },
);

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123\n`;
const page = '<!doctype html>\n<html><title>Sign in</title></html>';
it.each<[name: string, bytes: string | Uint8Array, message: string, hint: string]>([
  ['pointer.txt', pointer, 'is a Git LFS pointer', 'git lfs pull'],
  ['pointer.parquet', pointer, 'is a Git LFS pointer', 'git lfs pull'],
  ['pointer.docx', pointer, 'is a Git LFS pointer', 'git lfs pull'],
  ['pointer.jsonl.gz', zlib.gzipSync(pointer), 'is a Git LFS pointer', 'git lfs pull'],
  ['page.parquet', page, 'is a web page', 'Download the file itself again'],
  ['page.pdf', page, 'is a web page', 'Download the file itself again'],
  ['page.jsonl', page, 'is a web page', 'Download the file itself again'],
  ['page.txt.gz', zlib.gzipSync(page), 'is a web page', 'Unpack it first'],
  ['prose.parquet', 'Prose, not Parquet.', 'is not a readable Parquet file', 'use another copy'],
  ['feed.xml', '<?xml version="1.0"?><rss><p>no</p></rss>', 'is an XML file', '.html'],
  ['wide.txt', Buffer.from('\ufeff<?xml version="1.0"?><rss/>', 'utf16le'), 'is an XML file', '.html'],
  [
    'alpaca.json',
    '[{"instruction": "a", "output": "b"}]',
    'record 1 has no field "text"; its fields are "instruction", "output"',
    'text_field',
  ],
  ['cut.json', '[{"text": "one"}, {"text": "tw', 'record 2 is not JSON', 'list of records'],
  ['open.json', '[{"text": "one"}, ', 'record 2 is not JSON', 'list of records'],
  ['settings.json', '{"a": 1}', 'record 1 has no field "text"', 'text_field'],
  ['table.csv', 'a,b\n1,2\n3,4\n', 'row 2 has no field "text"; its fields are "a", "b"', 'text_field'],
  ['open.csv', 'id,body\n1,"never closed\n2,and so on\n3,and so on\n', 'row 2 has a quotation mark', '.txt'],
  [
    'letter.csv',
    'Dear Ann,\nI have been, as you know, away, but\nnow, at last, I am, here.\n',
    'row 2 has 4 cells',
    '.txt',
  ],
  ['model.txt', Buffer.from('GGUF\x03\0\0\0'), 'is a GGUF model', 'Choose a text file'],
  ['weights.txt', Buffer.from('\x40\0\0\0\0\0\0\0{"a":'), 'is a safetensors file', 'Choose a text file'],
  [
    'binary.txt',
    Buffer.from(Array.from({ length: 2000 }, (_, i) => 1 + ((i * 97 + 31) % 255))),
    'is not valid UTF-8',
    'Save the file as UTF-8',
  ],
  [
    'mixed.txt',
    Buffer.concat([Buffer.from('é'.repeat(9)), latin1('\xff'.repeat(5))]),
    'is not valid UTF-8',
    'Save the file as UTF-8',
  ],
])('%s is refused as what it is', async (name, bytes, message, hint) => {
  fs.writeFileSync(path.join(folder, name), bytes);
  const read = async () => {
    for await (const _ of readTexts([path.join(folder, name)]));
  };
  const fault = await faultOfAsync(read());
  expect(fault.message).toContain(message);
  expect(fault.hint).toContain(hint);
});
