/** What the main process says, in the window's words: every sentence of main/ and shared/ that a person may meet there has a German one. */
import { describe, expect, it } from 'vitest';
import { tellIn, type Told } from '../../renderer/format/told.js';
import { de } from '../../renderer/strings/de.js';
import { told as german } from '../../renderer/strings/de-told/index.js';
import { en } from '../../renderer/strings/en.js';
import { told as english } from '../../renderer/strings/en-told.js';
import { acceptedValues, describeShape } from '../../shared/config/fields.js';
import { projectShape } from '../../shared/config/index.js';
import { say, setting } from '../../shared/sentence.js';
import { everySource, sentencesIn, spokenSentences, type Spoken } from '../support/spoken.js';

const spoken = spokenSentences();
const source = everySource();

/** What settings take, such as "a whole number from {} to {}". */
const taken = describeShape(projectShape)
  .filter(({ kind }) => kind !== 'choice')
  .map(acceptedValues)
  .map((words) =>
    Array.isArray(words)
      ? words.map((part: unknown) => (typeof part === 'string' ? part : '{}')).join('')
      : String(words),
  )
  .map((words) => words.replace(/, or none$/, ''));

/** With something in each gap that no pattern knows. */
const filled = (text: string): string => {
  let place = 0;
  return text.replaceAll(/\{(\d?)\}/g, (_, named: string) => `‹${named === '' ? place++ : named}›`);
};

describe('every sentence of main/ and shared/', () => {
  it('has a German one', () => {
    const keys = new Set(german.map(([key]) => key));
    // Without those that any sentence might be taken for, such as "{} is {}".
    const tell = tellIn(german.filter(([key]) => (key.match(/\p{L}/gu)?.length ?? 0) > 3));
    const isLeft = ({ text, word }: Spoken) =>
      word === undefined
        ? tell(filled(text)) === filled(text)
        : new RegExp(`\\b${word}\\b`).test(String(tell(filled(text))));
    const missing = spoken.filter((one) => !keys.has(one.text.trim()) && isLeft(one));
    // Give it one in renderer/strings/de-told/, or, where nobody meets it in the window, say so in tests/support/spoken.ts.
    expect(missing.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
    expect(spoken.length).toBeGreaterThan(400);
  });

  it('would be missed, wherever it stands', () => {
    const source = `
      throw new UserError({ code, message: \`\${file} is odd\`, hint: say\`Use \${option('n_embd')} \${64}.\` });
      const why = isThere ? 'it stands there' : 'none';
      emit({ message: 'The model ' + (many ? 'are many' : name) + ' ends.' });
      const seen = \`The model sees \${isGood ? 'well' : 'badly, at times'}, \${name}.\`;
      const part = html\`<p class="soft one">Nothing of \${name} is done.</p>\`;
      throw new RangeError('a bug that nobody reads');
    `;
    expect(sentencesIn('main/odd.ts', source).map(({ text }) => text)).toEqual([
      '{} is odd',
      'Use {} {}.',
      'it stands there',
      'The model {} ends.',
      'are many',
      'The model sees well, {}.',
      'The model sees {}, {}.',
      'badly, at times',
      'Nothing of {} is done.',
    ]);
  });

  it('what a setting takes', () => {
    expect([...new Set(taken)].filter((words) => de.reworded(filled(words)) === filled(words))).toEqual([]);
    expect(de.reworded('a whole number from 1 to 65,536, or none')).toBe(
      'eine ganze Zahl von 1 bis 65.536, oder nichts',
    );
  });
});

describe.each([
  ['German', german],
  ['the window’s English', english],
])('what is said in %s', (_, told: Told) => {
  it('is said in main/ or shared/, once', () => {
    const known = new Set([...spoken.map(({ text }) => text), ...taken]);
    // A sentence may be put together: then its longest piece stands there, without the s of a plural.
    const longest = (text: string) =>
      text.split(/\{\}|[.:,] (?:because )?/).reduce((a, b) => (b.length > a.length ? b : a));
    const keys = told.map(([key]) => key);
    const stands = (piece: string) => source.includes(piece) || source.includes(piece.replace(/s$/, ''));
    expect(keys.filter((key) => !known.has(key) && !stands(longest(key)))).toEqual([]);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it('speaks of nothing that is not there, and is not taken for another', () => {
    const tell = tellIn(told);
    const gaps = (text: string) => text.match(/\{\}/g)?.length ?? 0;
    const wrong = told.filter(([key, other]) => {
      const places = [...filled(other).matchAll(/‹(\d+)›/g)].map(([, place]) => Number(place));
      return places.some((place) => place >= gaps(key)) || tell(filled(key)) !== filled(other);
    });
    expect(wrong).toEqual([]);
  });
});

it('German says what is spoken of, also within brackets, and numbers as German writes them', () => {
  expect(
    de.reworded(
      'plain text, UTF-8. Read from texts, 2 files: a.txt, b.md. Not read: .c (hidden), d.png (not a kind of text that is read), e.pdf (not a readable PDF document: it is protected by a password).',
    ),
  ).toBe(
    'reiner Text, UTF-8. Gelesen aus texts, 2 Dateien: a.txt, b.md. Nicht gelesen: .c (versteckt), d.png (keine Art von Text, die gelesen wird), e.pdf (kein lesbares PDF-Dokument: es ist durch ein Passwort geschützt).',
  );
  expect(de.reworded('Nobody has thought of this.')).toBe('Nobody has thought of this.');
  expect(de.reworded(say`${setting('learning_rate')} is ${1e20}, with which training diverges`)).toEqual([
    { setting: 'learning_rate' },
    ' ist ',
    { number: 1e20 },
    '; damit divergiert das Training',
  ]);
  expect(de.reworded('m.gguf is not a readable GGUF file: it cannot hold 12,345 tensors')).toBe(
    'm.gguf ist keine lesbare GGUF-Datei: sie kann nicht 12.345 Tensoren enthalten',
  );
  expect(
    de.reworded('The loss became infinite or not a number at step 7. The loss is finite, but its gradient is not.'),
  ).toBe('Der Verlust wurde bei Schritt 7 unendlich oder keine Zahl. Der Verlust ist endlich, sein Gradient nicht.');
  expect(
    de.reworded(
      'All weights were finite when last looked at, and then the scores of the text overflowed. The largest weights, up to 1.5e20, were in wte.',
    ),
  ).toContain('bis zu 1,5e20, waren in wte');
  expect(
    de.reworded('The last good checkpoint is kept. A smaller learning rate or a longer warm-up usually helps.'),
  ).toBe('Der letzte gute Checkpoint ist gesichert. Meist hilft eine kleinere Lernrate oder ein längeres Aufwärmen.');
});

it('nobody is told of flags and commands in the window', () => {
  expect(en.reworded('Run the same command again to resume from here.')).toBe('Start it again to resume from here.');
  expect(en.reworded('Export it with --format nanogpt.')).toBe('Export it as nanogpt.');
});
