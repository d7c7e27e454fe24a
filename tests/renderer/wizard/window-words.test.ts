/** Problems in the window's words: fields by their names, files by theirs, nothing to type in a terminal. */
import { describe, expect, it } from 'vitest';
import { error, modelProblems, type FileFacts } from '../../../shared/config/checks.js';
import { dataProblems } from '../../../shared/config/data-checks.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { faultSchema, toFault, typedFault, UserError } from '../../../shared/errors.js';
import { count, option, say, setting, typed } from '../../../shared/sentence.js';
import { windowLocale } from '../../../renderer/format/window-locale.js';
import { fixWords, windowWords, wordsOf } from '../../../renderer/wizard/window-words.js';

describe('sentences', () => {
  const said = say`Use ${option('n_embd')} ${130}, or another ${setting('n_head')} than ${option('not_a_setting')}.`;

  it('call a setting by the name of its field', () => {
    expect(windowWords(said)).toBe('Use “Width” 130, or another “Attention heads” than --not_a_setting.');
    expect(typed(said)).toBe('Use --n_embd 130, or another n_head than --not_a_setting.');
  });

  it('write numbers as the language does, where a terminal has them as they are typed', () => {
    const told = say`${setting('block_size')} is ${65_536}, the text has ${count(99_833)} characters; ${0.00001}, ${1e20} and ${NaN}`;
    expect(typed(told)).toBe(
      'block_size is 65536, the text has 99,833 characters; 0.00001, 100000000000000000000 and NaN',
    );
    windowLocale.value = 'de-DE';
    expect(windowWords(told)).toBe('“Context length” is 65.536, the text has 99.833 characters; 1e-5, 1e20 and NaN');
    windowLocale.value = undefined;
  });

  it('leave alone what is only text, as a file’s name or what a person typed', () => {
    const text = 'n_embd is not in /home/me/--n_embd.txt; the seed is any device’s';
    expect([windowWords(text), typed(text)]).toEqual([text, text]);
    expect(windowWords(say`Not found: ${text}`)).toBe(`Not found: ${text}`);
  });

  it('hold what others are made of', () =>
    expect(typed(say`First: ${said} Then: ${say`leave ${option('seed')} out.`}`)).toBe(
      'First: Use --n_embd 130, or another n_head than --not_a_setting. Then: leave --seed out.',
    ));

  it('travel as they are, in an error as well', () => {
    const error = new UserError({ code: 'bad_input', message: said, hint: 'Think.', field: 'n_embd' });
    expect(error.message).toBe(typed(said));
    const fault = faultSchema.parse(JSON.parse(JSON.stringify(toFault(error))));
    expect(windowWords(fault.message)).toBe(windowWords(said));
    expect(typedFault(fault)).toEqual({ code: 'bad_input', message: typed(said), hint: 'Think.', field: 'n_embd' });
  });
});

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
    const told = all.flatMap((files) =>
      (['text', 'binary'] as const).flatMap((input_mode) =>
        [{}, given].flatMap((paths) => {
          const config = projectConfigSchema.parse({ ...paths, input_mode, tokenization: 'char' });
          return dataProblems(config, files, { charNeedsMeta: true }).map(wordsOf);
        }),
      ),
    );
    expect(told.length).toBeGreaterThan(15);
    for (const { message, hint } of told) expect(`${message} ${hint}`).not.toMatch(/\/|--|_path|_bin|chmod/);
  });
});

it('a problem of a value keeps what is wrong with it', () => {
  const [problem = error('bad_input', null, '', '')] = modelProblems({ n_embd: 100, n_head: 3 });
  expect(wordsOf(problem).message).toBe('“Width” (100) must be divisible by “Attention heads” (3)');
});

describe('the button that mends', () => {
  it('says beforehand what it sets', () => {
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
