/** meta.pkl: pickles of Python and NumPy, in every protocol; Python's own unpickler reads again what was read. */
import { readFileSync } from 'node:fs';
import { readMetaPickle, writeMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { MAX_VOCABULARY } from '../../../main/engine/tokenizer/char.js';
import { samplesFile } from '../places.js';
import type { Subject } from '../subject.js';
import { pickleBombs, pickleWords } from './pickle-bombs.js';

interface Pickles {
  readonly meta: readonly string[];
  readonly numpy1: { readonly meta: readonly string[] };
  readonly numpy2: { readonly meta: readonly string[] };
}
const pickles = JSON.parse(readFileSync(samplesFile('pickles.json'), 'utf8')) as Pickles;
const named = (kind: string, hexes: readonly string[], thorough: readonly number[]) =>
  hexes.map((hex, protocol) => ({
    name: `${kind}-${protocol}.pkl`,
    bytes: Buffer.from(hex, 'hex'),
    onlyRandom: !thorough.includes(protocol),
  }));

export const metaPickle: Subject = {
  name: 'meta-pickle',
  samples: [
    ...named('python', pickles.meta, [0, 2, 4]),
    ...named('numpy1', pickles.numpy1.meta, []),
    ...named('numpy2', pickles.numpy2.meta, [4]),
  ],
  bombs: pickleBombs,
  burdens: {
    'the largest vocabulary': () =>
      writeMetaPickle(
        Array.from({ length: MAX_VOCABULARY }, (_, i) => String.fromCodePoint(i < 0xd800 ? i : i + 0x2800)),
      ),
  },
  words: pickleWords,
  read: (bytes) =>
    readMetaPickle(bytes)
      .map((character) => character.codePointAt(0))
      .join(),
  again: 'python',
};
