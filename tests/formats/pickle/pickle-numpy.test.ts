// NumPy's scalars, as NumPy 1.26 and 2.4 pickled them (make_numpy_scalars.py), are the numbers and texts that Python makes of them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metaRules } from '../../../main/formats/pickle/meta-pickle.js';
import { type PickleValue, readPickle } from '../../../main/formats/pickle/pickle.js';

type Scalar = readonly [repr: string, value: string, pickle: string];
const samples = JSON.parse(readFileSync(new URL('numpy-scalars.json', import.meta.url), 'utf8')) as Readonly<
  Record<'numpy1' | 'numpy2', { readonly scalars: readonly Scalar[] }>
>;

/** Python's value, from the words that make_numpy_scalars.py writes. */
function valueOf(words: string): PickleValue {
  const at = words.indexOf(' ');
  const [kind, text] = [words.slice(0, at), words.slice(at + 1)];
  switch (kind) {
    case 'text':
      return text === '' ? '' : String.fromCodePoint(...text.split(',').map(Number));
    case 'bool':
      return text === '1';
    case 'int':
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    case 'float':
      return Number(text.replace('inf', 'Infinity').replace('nan', 'NaN'));
    default:
      throw new Error(words);
  }
}

describe.each(['numpy1', 'numpy2'] as const)('%s', (version) => {
  const { scalars } = samples[version];
  it('gives the values', () => {
    expect(scalars.length).toBeGreaterThan(50);
    for (const [repr, value, pickle] of scalars)
      expect(readPickle(Buffer.from(pickle, 'hex'), metaRules), repr).toBe(valueOf(value));
  });
});
