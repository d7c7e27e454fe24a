// Texts with one damage each: read in part with a report, or refused with a sentence about it; never learned wrongly. (Models:
// tests/storage/projects/damaged-models.test.ts.)
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as zlib from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { pdfOf } from '../../../tools/support/pdf-of.js';
import { docxOf, epubOf, zipOf } from '../../../tools/support/zip-of.js';
import { damage, damaged, damagedRuns, expectSentence, LONGEST } from '../../support/damage.js';
import { temporaryFolder } from '../faults.js';
import { readDamaged } from './read-damaged.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const word = fc.stringMatching(/^[a-zäé中]{2,9}$/);
const paragraph = fc.array(word, { minLength: 4, maxLength: 12 }).map((words) => words.join(' '));
const paragraphs = fc.uniqueArray(paragraph, { minLength: 6, maxLength: 12 });
const ascii = paragraphs.map((all) => all.map((one) => one.replaceAll(/[^a-z ]/g, 'x')));

const inQuotes = (text: string): string => `"${text}"`;
const inRows = (texts: readonly string[]): string =>
  ['id,body', ...texts.map((text, i) => `${i},${inQuotes(text)}`)].join('\n');

interface Kind {
  readonly texts: fc.Arbitrary<string[]>;
  readonly write: (texts: readonly string[]) => Buffer;
  /** Whether checksums find every change. */
  readonly isChecked: boolean;
}
const kinds: Readonly<Record<string, Kind>> = {
  'book.epub': {
    texts: paragraphs,
    write: (texts) => epubOf(texts.map((text) => `<p>${text}</p>`)),
    isChecked: true,
  },
  'letter.docx': {
    texts: paragraphs,
    write: (texts) => docxOf(texts.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')),
    isChecked: true,
  },
  'more.docx': {
    texts: paragraphs,
    write: (texts) =>
      zipOf([
        {
          name: 'word/document.xml',
          bytes: `<w:document>${texts.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')}</w:document>`,
          isStored: true,
        },
        ...[1, 2, 3].map((n) => ({ name: `word/media/${n}.png`, bytes: Buffer.alloc(900, n), isStored: true })),
      ]),
    isChecked: true,
  },
  'rows.csv.gz': { texts: paragraphs, write: (texts) => zlib.gzipSync(inRows(texts)), isChecked: true },
  'paper.pdf': { texts: ascii, write: (texts) => pdfOf(texts.map((text) => [text])), isChecked: false },
  'rows.csv': { texts: paragraphs, write: (texts) => Buffer.from(inRows(texts)), isChecked: false },
  'rows.jsonl': {
    texts: paragraphs,
    write: (texts) => Buffer.from(texts.map((text) => JSON.stringify({ text })).join('\n')),
    isChecked: false,
  },
  'rows.json': {
    texts: paragraphs,
    write: (texts) => Buffer.from(JSON.stringify(texts.map((text) => ({ text })))),
    isChecked: false,
  },
};

it.each(Object.entries(kinds))(
  '%s with one damage',
  async (name, { texts, write, isChecked }) => {
    const file = path.join(folder, name);
    await fc.assert(
      fc.asyncProperty(texts, damage, async (originals, one) => {
        fs.writeFileSync(file, damaged(write(originals), one));
        const start = performance.now();
        const found = await readDamaged(file);
        expect(performance.now() - start).toBeLessThan(LONGEST);
        if (found instanceof UserError) {
          expectSentence(found, name);
          return;
        }
        // An empty text is refused by everything that reads one.
        if (found.text === '') return;
        const lines = found.text.split(/\n+/).filter((line) => line !== '');
        const missing = originals.filter((one) => !lines.some((line) => line.includes(one)));
        const changed = name === 'paper.pdf' ? [] : lines.filter((line) => !originals.includes(line));
        // Letters may change unseen where nothing checks them, but only those at the place.
        if (isChecked) expect(changed).toEqual([]);
        expect(changed.length).toBeLessThanOrEqual(2);
        // Lines that end where a line ends are whole; nothing shows that there were more.
        const isPrefix = one.kind === 'cut' && /\.(csv|jsonl)$/.test(name);
        if (found.reported > 0 || isPrefix) return;
        expect(missing.length).toBeLessThanOrEqual(isChecked ? 0 : Math.max(1, changed.length));
      }),
      damagedRuns,
    );
  },
  damagedRuns.numRuns * LONGEST,
);
