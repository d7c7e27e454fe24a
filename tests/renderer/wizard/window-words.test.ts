/** Problems as the window shows them: fields and files by their labels, nothing to type in a terminal. */
import { describe, expect, it } from 'vitest';
import { modelProblems, type FileFacts } from '../../../shared/config/checks.js';
import { dataProblems } from '../../../shared/config/data-checks.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { fixWords, wordsOf } from '../../../renderer/wizard/window-words.js';

describe('problems with files', () => {
  const facts = (kind: 'file' | 'folder' | 'missing', readable = true): FileFacts => ({
    kind: () => kind,
    readable: () => readable,
    writable: () => true,
    matching: () => [],
    textsIn: () => [],
  });
  const all = [facts('missing'), facts('folder'), facts('file', false)];
  const given = { data_path: '/home/me/a text/play.txt', train_bin: '/x/t.bin', meta_path: '/x/meta.pkl' };

  it('name no path and no flag, whatever is wrong', () => {
    const words = all.flatMap((files) =>
      (['text', 'binary'] as const).flatMap((input_mode) =>
        [{}, given].flatMap((paths) => {
          const config = projectConfigSchema.parse({ ...paths, input_mode, tokenization: 'char' });
          return dataProblems(config, files, { charNeedsMeta: true }).map(wordsOf);
        }),
      ),
    );
    expect(words.length).toBeGreaterThan(15);
    for (const { message, hint } of words) expect(`${message} ${hint}`).not.toMatch(/\/|--|_path|_bin|chmod/);
  });
});

it('a problem of a value keeps what is wrong with it', () => {
  const [problem] = modelProblems({ n_embd: 100, n_head: 3 });
  expect(problem && wordsOf(problem).message).toBe('“Width” (100) must be divisible by “Attention heads” (3)');
});

describe('the button that mends', () => {
  it('shows beforehand what it sets', () => {
    const config = projectConfigSchema.parse({ n_embd: 128, n_head: 5 });
    const [divisible] = modelProblems(config);
    expect(divisible?.field).toBe('n_embd');
    expect(fixWords(divisible ?? { field: null })).toBe('this to 130');
    expect(fixWords({ field: 'n_layer', fix: { set: { n_embd: 64, top_k: null }, unset: ['dropout'] } })).toBe(
      '“Width” to 64, “Top-k” to none, “Dropout” to its default value',
    );
    expect(fixWords({ field: 'train_bin', fix: { set: { train_bin: 'file_1' } } })).toBe('this to the file found');
    expect(fixWords({ field: 'seed' })).toBe('');
  });
});
