// Which tokenizer a dataset uses, in the specification's order: meta.pkl, then "char" in the folder's name, then bpe.
import { describe, expect, it } from 'vitest';
import { chooseTokenization } from '../../../main/engine/tokenizer/detect.js';

describe('auto', () => {
  it.each([
    [
      'a meta.pkl in the folder',
      { folderName: 'shakespeare', metaInFolder: 'd/meta.pkl' },
      'char',
      'd/meta.pkl',
      'there is a meta.pkl',
    ],
    [
      '"char" in the folder\'s name',
      { folderName: 'shakespeare_char', metaInFolder: null },
      'char',
      null,
      'shakespeare_char',
    ],
    [
      'a tokenizer.json in the folder',
      { folderName: 'my_chars', metaInFolder: null, tokenizerInFolder: 'd/tokenizer.json' },
      'pretrained',
      null,
      'there is a tokenizer.json: d/tokenizer.json',
    ],
    [
      'a tokenizer that was named',
      { folderName: 'x', metaInFolder: 'd/meta.pkl', tokenizerPath: 'smollm' },
      'pretrained',
      null,
      'tokenizer_path names smollm',
    ],
    ['neither', { folderName: 'shakespeare', metaInFolder: null }, 'bpe', null, 'no meta.pkl'],
    [
      'a meta.pkl that was named',
      { folderName: 'x', metaInFolder: 'd/meta.pkl', metaPath: 'm.pkl' },
      'char',
      'm.pkl',
      'meta_path names m.pkl',
    ],
  ])('with %s', (_, setting, method, metaPath, words) => {
    const choice = chooseTokenization({ tokenization: 'auto', ...setting });
    expect(choice).toMatchObject({ method, metaPath });
    expect(choice.reason).toContain(words);
  });
});

describe('suited', () => {
  const lone = { tokenization: 'suited', folderName: 'book', metaInFolder: null } as const;

  it('follows what lies beside the text, as auto does', () => {
    const text = { characters: 1_000_000, distinct: 80 };
    expect(chooseTokenization({ ...lone, text, metaInFolder: 'd/meta.pkl' })).toMatchObject({ method: 'char' });
    expect(chooseTokenization({ ...lone, text, folderName: 'book_char' })).toMatchObject({ method: 'char' });
  });

  it.each([
    ['a few pages', { characters: 5000, distinct: 60 }, {}, 'char', undefined],
    ['a book', { characters: 310_000, distinct: 80 }, {}, 'learned', 1024],
    ['a Chinese text', { characters: 120_000, distinct: 2900 }, {}, 'learned', 2048],
    ['much text for a large model', { characters: 2e8, distinct: 200 }, { n_layer: 12, n_embd: 768 }, 'bpe', undefined],
    ['much text for a small model', { characters: 2e8, distinct: 200 }, { n_layer: 4, n_embd: 128 }, 'learned', 1024],
  ])('%s', (_, text, model, method, vocab) => {
    const choice = chooseTokenization({ ...lone, text, model });
    expect([choice.isLearned ? 'learned' : choice.method, choice.vocab]).toEqual([method, vocab]);
    expect(choice.reason).toMatch(new RegExp(`^${method}, because `));
  });
});

describe('a method that was asked for', () => {
  it('is taken, whatever lies in the folder', () => {
    expect(chooseTokenization({ tokenization: 'bpe', folderName: 'char', metaInFolder: 'meta.pkl' })).toMatchObject({
      method: 'bpe',
      metaPath: null,
    });
    expect(chooseTokenization({ tokenization: 'char', folderName: 'x', metaInFolder: null })).toMatchObject({
      method: 'char',
      metaPath: null,
    });
  });

  it('uses the vocabulary beside the data for char', () => {
    expect(chooseTokenization({ tokenization: 'char', folderName: 'x', metaInFolder: 'd/meta.pkl' }).metaPath).toBe(
      'd/meta.pkl',
    );
  });
});
