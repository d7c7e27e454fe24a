// meta.pkl: Python's files are read, ours have Python's bytes, and no code is run (random damage: ../hostile-files.test.ts).
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { metaRules, readMetaPickle, writeMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { readPickle } from '../../../main/formats/pickle/pickle.js';
import { faultOf } from '../../storage/fault-of.js';

/** Runs a Python program that prints JSON. */
function python<T>(program: string, input: unknown): T {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

/** nanoGPT's data/shakespeare_char/prepare.py, what it does with the vocabulary, under each protocol. */
const prepare = `
import json, pickle, sys
chars = json.load(sys.stdin)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
meta = {'vocab_size': len(chars), 'itos': itos, 'stoi': stoi}
print(json.dumps([pickle.dumps(meta, protocol=p).hex() for p in range(2, 6)]))
`;

const vocabularies = {
  letters: ['\n', ' ', 'a', 'é', '中', '\u{1f600}'],
  'one character': ['x'],
  'a thousand': Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + i)),
};
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

describe.each(Object.entries(vocabularies))('a vocabulary of %s', (_, characters) => {
  const pickled = python<string[]>(prepare, characters);

  it('is read from every protocol of Python 3', () => {
    for (const hex of pickled) expect(readMetaPickle(bytesOf(hex))).toEqual(characters);
  });

  it('is written as Python writes it', () => {
    expect(Buffer.from(writeMetaPickle(characters)).toString('hex')).toBe(pickled[2]);
  });
});

describe('a pickle that would run code', () => {
  const program = `
import json, pickle, sys, os, collections, datetime
class Evil:
    def __reduce__(self): return (os.system, ('touch /tmp/verisim-was-here',))
class Plain: pass
values = [Evil(), Plain(), collections.OrderedDict(a=1), datetime.date(2020, 1, 1), {'vocab_size': Evil()}, complex(1, 2)]
json.load(sys.stdin)
import __main__
print(json.dumps([pickle.dumps(v, protocol=p).hex() for v in values for p in range(2, 6)]))
`;
  it('is refused in every protocol, with the reason', () => {
    const pickles = python<string[]>(program, null);
    expect(pickles).toHaveLength(24);
    for (const hex of pickles) {
      const fault = faultOf(() => readPickle(bytesOf(hex), metaRules));
      expect(fault.code).toBe('meta_file');
      expect(fault.message).toMatch(/which could run code; nothing was run \(byte \d+\)/);
    }
  });
});

describe('a damaged meta.pkl', () => {
  it('is refused with the reason', () => {
    const pickles = python<string[]>(
      `
import json, pickle, sys
json.load(sys.stdin)
ok = {'vocab_size': 2, 'itos': {0: 'a', 1: 'b'}, 'stoi': {'a': 0, 'b': 1}}
values = [[1, 2], {**ok, 'vocab_size': 3}, {**ok, 'vocab_size': '2'}, {**ok, 'itos': ['a', 'b']}, {**ok, 'itos': {0: 'a', 2: 'b'}},
          {**ok, 'stoi': {'a': 1, 'b': 0}}, {**ok, 'itos': {0: 'a', 1: 'bc'}}, {'itos': {}}]
print(json.dumps([pickle.dumps(v).hex() for v in values]))
`,
      null,
    );
    expect(pickles.map((hex) => faultOf(() => readMetaPickle(bytesOf(hex))).message)).toEqual([
      "not nanoGPT's meta.pkl: meta.pkl must be a dictionary",
      "not nanoGPT's meta.pkl: vocab_size is 3, but itos has 2 entries and stoi 2",
      "not nanoGPT's meta.pkl: vocab_size must be a whole number from 1 to 65536",
      "not nanoGPT's meta.pkl: itos must be a dictionary",
      "not nanoGPT's meta.pkl: itos[1] is not a single character",
      `not nanoGPT's meta.pkl: stoi and itos disagree about "a" (U+0061)`,
      "not nanoGPT's meta.pkl: itos[1] is not a single character",
      "not nanoGPT's meta.pkl: vocab_size must be a whole number from 1 to 65536",
    ]);
  });

  it('cannot reach the prototype of an object', () => {
    const hex = python<string>(
      `import json, pickle, sys; json.load(sys.stdin); print(json.dumps(pickle.dumps({'__proto__': {'polluted': 1}, 'constructor': 2}).hex()))`,
      null,
    );
    const value = readPickle(bytesOf(hex), metaRules);
    expect(value).toEqual(
      new Map<string, unknown>([
        ['__proto__', new Map([['polluted', 1]])],
        ['constructor', 2],
      ]),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

it('refuses the protocols of Python 2', () => {
  for (const pickle of ['(dp0\n.', 'I01\n.', "S'a'\n."])
    expect(faultOf(() => readPickle(Buffer.from(pickle), metaRules)).message).toMatch(/unknown instruction/);
});
