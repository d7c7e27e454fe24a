// Which tokenizer a dataset uses, in the specification's order: meta.pkl, then "char" in the folder's name, then bpe.
import { describe, expect, it } from 'vitest';
import { chooseTokenization } from '../../../main/engine/tokenizer/detect.js';
import { inEnglish } from '../../support/messages.js';

const meta = 'd/meta.pkl';

describe('auto', () => {
  it.each([
    ['a meta.pkl in the folder', { metaInFolder: meta }, 'char', meta, 'there is a file d/meta.pkl'],
    ['"char" in the folder\'s name', { folderName: 'shakespeare_char' }, 'char', null, 'shakespeare_char'],
    [
      'a tokenizer.json in the folder',
      { folderName: 'my_chars', tokenizerInFolder: 'd/tokenizer.json' },
      'pretrained',
      null,
      'there is a file d/tokenizer.json',
    ],
    ['a named tokenizer', { metaInFolder: meta, tokenizerPath: 'smollm' }, 'pretrained', null, 'is smollm'],
    ['neither', {}, 'bpe', null, 'no meta.pkl'],
    ['a named meta.pkl', { metaInFolder: meta, metaPath: 'm.pkl' }, 'char', 'm.pkl', 'is m.pkl'],
  ])('with %s', (_, setting, method, metaPath, words) => {
    const choice = chooseTokenization({ tokenization: 'auto', folderName: 'x', metaInFolder: null, ...setting });
    expect(choice).toMatchObject({ method, metaPath });
    expect(inEnglish(choice.reason)).toContain(words);
  });
});

describe('suited', () => {
  const lone = { tokenization: 'suited', folderName: 'book', metaInFolder: null } as const;

  it('follows files next to the text, as auto does', () => {
    const text = { characters: 1_000_000, distinct: 80 };
    expect(chooseTokenization({ ...lone, text, metaInFolder: meta })).toMatchObject({ method: 'char' });
    expect(chooseTokenization({ ...lone, text, folderName: 'book_char' })).toMatchObject({ method: 'char' });
  });

  it.each([
    ['a few pages', { characters: 5000, distinct: 60 }, {}, 'char', undefined, 'characters'],
    ['a book', { characters: 310_000, distinct: 80 }, {}, 'learned', 1024, 'word pieces learned'],
    ['a Chinese text', { characters: 120_000, distinct: 2900 }, {}, 'learned', 2048, 'word pieces learned'],
    [
      'much text for a large model',
      { characters: 2e8, distinct: 200 },
      { n_layer: 12, n_embd: 768 },
      'bpe',
      undefined,
      'word pieces',
    ],
    [
      'much text for a small model',
      { characters: 2e8, distinct: 200 },
      { n_layer: 4, n_embd: 128 },
      'learned',
      1024,
      'word pieces learned',
    ],
  ])('%s', (_, text, model, method, vocab, name) => {
    const choice = chooseTokenization({ ...lone, text, model });
    expect([choice.isLearned ? 'learned' : choice.method, choice.vocab]).toEqual([method, vocab]);
    expect(inEnglish(choice.reason)).toMatch(new RegExp(`^${name}.*, because `));
  });
});

it.each([
  ['bpe', { folderName: 'char', metaInFolder: meta }, null],
  ['char', { folderName: 'x' }, null],
  ['char', { folderName: 'x', metaInFolder: meta }, meta],
] as const)('takes the requested method whatever the folder: %s', (tokenization, setting, metaPath) => {
  const choice = chooseTokenization({ tokenization, metaInFolder: null, ...setting });
  expect(choice).toMatchObject({ method: tokenization, metaPath });
});
