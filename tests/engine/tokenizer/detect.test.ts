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
