// The text that the golden runs learn from. It is made by a fixed formula instead of being taken from a file, so that
// it is the same for every version that is compared, however the repository's own files move or change.
import { gzipSync } from 'node:zlib';

const words = [
  ...['the', 'whale', 'sea', 'and', 'ship', 'of', 'a', 'captain', 'wind', 'deep', 'call', 'me', 'upon', 'white'],
  ...['harpoon', 'Ahab', 'old', 'mate', 'said', 'water', 'night', 'café', 'naïve', 'no', 'man', 'was', 'there'],
];
const marks = ['.', '.', '.', '!', '?', ';', ' — aye.', ', 1851.'];

/** Numerical Recipes' linear congruential generator: 32 bits, the same everywhere. */
function createDice(/** @type {number} */ seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 16) % sides;
  };
}

/**
 * Sentences of a few words, each word one of three that may follow the word before: enough order to be learned in a
 * few steps, with capitals, accents, digits, dashes and empty lines for the tokenizers.
 * @param {number} length the text ends with the sentence that reaches so many characters
 * @param {number} [seed]
 */
export function goldenText(length, seed = 7) {
  const roll = createDice(seed);
  let text = '';
  let word = 0;
  while (text.length < length) {
    const sentence = Array.from({ length: 4 + roll(9) }, () => {
      word = (word * 5 + 3 * roll(3) + 1) % words.length;
      return words[word] ?? '';
    }).join(' ');
    text += sentence.charAt(0).toUpperCase() + sentence.slice(1) + (marks[roll(marks.length)] ?? '.');
    text += ['\n', '\n\n', ' ', ' '][roll(4)] ?? ' ';
  }
  return `${text.trimEnd()}\n`;
}

/** The same kind of text as JSON Lines, one paragraph a row. */
export const goldenJsonLines = (/** @type {number} */ length) =>
  goldenText(length, 11)
    .split('\n\n')
    .map((paragraph, index) => `${JSON.stringify({ id: index, text: paragraph })}\n`)
    .join('');

/**
 * A file that commands are given.
 * @param {string} name
 * @returns {string | Uint8Array}
 */
export function goldenFile(name) {
  switch (name) {
    case 'input.txt':
      return goldenText(60_000);
    case 'part-1.txt':
      return goldenText(20_000, 1);
    case 'part-2.txt':
      return goldenText(20_000, 2).replaceAll('\n', '\r\n');
    case 'rows.jsonl':
      return goldenJsonLines(30_000);
    case 'rows.jsonl.gz':
      return gzipSync(goldenJsonLines(30_000));
    case 'settings.json':
      return `${JSON.stringify({ data_path: 'input.txt', tokenization: 'char', n_layer: 2, n_head: 2, n_embd: 32 })}\n`;
    default:
      throw new Error(`there is no formula for ${name}`);
  }
}
