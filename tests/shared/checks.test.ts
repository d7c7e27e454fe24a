import { describe, expect, it } from 'vitest';
import {
  checkValues,
  modelFileProblems,
  modelProblems,
  outputProblems,
  mixedTextProblems,
  rewardShapeProblems,
  scheduleProblems,
  type FileFacts,
} from '../../shared/config/checks.js';
import { dataProblems } from '../../shared/config/data-checks.js';
import { dataConfigSchema, type DataConfig } from '../../shared/config/data.js';
import { applyFixes, isFixable } from '../../shared/config/fixes.js';
import { projectShape, type ProjectConfig, type RewardKind } from '../../shared/config/index.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import { plainFault } from '../support/messages.js';

/** A disk that holds just these files and folders (folders end in a slash). */
const disk = (...entries: string[]): FileFacts => ({
  kind: (path) => (entries.includes(path) ? 'file' : entries.includes(`${path}/`) ? 'folder' : 'missing'),
  readable: (path) => !path.includes('secret'),
  writable: (path) => !path.includes('secret'),
  // Just what these tests ask for: all files of a folder, or a pattern with one star.
  matching(pattern) {
    const [before = '', after = ''] = pattern.split('*');
    const rest = (path: string) => path.slice(before.length, path.length - after.length);
    return entries
      .filter((path) => !path.endsWith('/') && path.startsWith(before) && path.endsWith(after))
      .filter((path) => path.length >= pattern.length && !rest(path).includes('/'))
      .sort();
  },
  textsIn: (folder) => entries.filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.txt')),
});

const data = (given: Partial<DataConfig>): DataConfig => dataConfigSchema.parse(given);
const strict = { charNeedsMeta: true };
const lenient = { charNeedsMeta: false };
const messages = (given: Partial<DataConfig>, files: FileFacts, rules = strict) =>
  dataProblems(data(given), files, rules).map(({ message }) => plainEnglish(message));

describe('data checks, in the documented words', () => {
  it('lets the specification’s valid configurations pass', () => {
    const files = disk('d/input.txt', 'd/', 'd/meta.pkl', 'd/train.bin', 'd/val.bin');
    expect(messages({ data_path: 'd/input.txt', tokenization: 'char', meta_path: 'd/meta.pkl' }, files)).toEqual([]);
    const bins = { input_mode: 'binary', train_bin: 'd/train.bin', val_bin: 'd/val.bin' } as const;
    expect(messages({ ...bins, tokenization: 'bpe' }, files)).toEqual([]);
    expect(messages({ data_path: 'd', tokenization: 'auto' }, files)).toEqual([]);
  });

  it('refuses the specification’s invalid ones', () => {
    const files = disk('a.txt');
    expect(messages({ data_path: 'a.txt', tokenization: 'char' }, files)).toEqual([
      "meta_path is required when tokenization is 'char'",
    ]);
    expect(messages({ input_mode: 'binary', data_path: 'a.txt' }, files)).toContain(
      'data_path is ignored in binary mode',
    );
    expect(messages({ input_mode: 'binary', train_bin: 'nonexistent.bin' }, files)).toContain(
      'Train binary file not found: nonexistent.bin',
    );
  });

  it('returns every problem at once', () => {
    const found = messages({ input_mode: 'binary', data_path: 'x', train_bin: 'y', tokenization: 'char' }, disk());
    expect(found).toEqual([
      'data_path is ignored in binary mode',
      'Train binary file not found: y',
      'val_bin is required in binary mode',
      "meta_path is required when tokenization is 'char'",
    ]);
  });

  it('makes a vocabulary from the text where a model is trained, and finds a meta.pkl beside token files', () => {
    expect(messages({ data_path: 'a.txt', tokenization: 'char' }, disk('a.txt'), lenient)).toEqual([]);
    const bins = {
      input_mode: 'binary',
      train_bin: 'd/train.bin',
      val_bin: 'd/val.bin',
      tokenization: 'char',
    } as const;
    expect(messages(bins, disk('d/train.bin', 'd/val.bin', 'd/meta.pkl'), lenient)).toEqual([]);
    expect(messages(bins, disk('d/train.bin', 'd/val.bin'), lenient)).toHaveLength(1);
  });

  it('names files that are missing, folders, or not readable', () => {
    expect(messages({ data_path: 'b.txt' }, disk())).toEqual(['Data file not found: b.txt']);
    expect(messages({ data_path: 'd/' }, disk('d//'))).toEqual(['Data folder holds no text: d/']);
    expect(messages({ data_path: 'd' }, disk('d/', 'd/c.png'))).toEqual(['Data folder holds no text: d']);
    expect(messages({ data_path: 'd/*.txt' }, disk('d/'))).toEqual(['No file matches data_path: d/*.txt']);
    expect(messages({ data_path: 'secret' }, disk('secret'))).toEqual(['Data file cannot be read: secret']);
    expect(messages({ data_path: 'a', meta_path: 'm' }, disk('a', 'm/'))).toEqual(['Meta file is a folder: m']);
    expect(messages({ data_path: 'a', train_bin: 't' }, disk('a'))).toEqual(['train_bin is ignored in text mode']);
  });

  it('takes several files, and other input files of a folder', () => {
    expect(messages({ data_path: 'd/*.txt' }, disk('d/', 'd/a.txt', 'd/b.txt'))).toEqual([]);
    expect(messages({ data_path: 'd/*.txt' }, disk('d/', 'd/a.txt', 'd/secret.txt'))).toEqual([
      'Data file cannot be read: d/secret.txt',
    ]);
    expect(messages({ data_path: 'd' }, disk('d/', 'd/input.parquet.zst'))).toEqual([]);
    expect(messages({ data_path: 'd' }, disk('d/', 'd/sub/', 'd/sub/a.txt'))).toEqual([]);
  });

  it('only warns of a meta.pkl that bpe does not use', () => {
    const found = dataProblems(data({ data_path: 'a', tokenization: 'bpe', meta_path: 'm' }), disk('a', 'm'), strict);
    expect(found.map(({ severity }) => severity)).toEqual(['warning']);
  });
});

describe('fixes', () => {
  const bins = { input_mode: 'binary', train_bin: 'd/train.bin', val_bin: 'd/val.bin' } as const;
  const fixOf = (given: Partial<DataConfig>, files: FileFacts) => {
    const found = dataProblems(data(given), files, strict);
    const fixed = applyFixes({ ...given }, found);
    return { left: dataProblems(data(fixed), files, strict).map(({ message }) => plainEnglish(message)), fixed };
  };

  it.each([
    [
      'char without meta.pkl',
      { data_path: 'a.txt', tokenization: 'char' },
      { data_path: 'a.txt', tokenization: 'auto' },
    ],
    [
      'char with a meta.pkl beside the text',
      { data_path: 'd/input.txt', tokenization: 'char' },
      { data_path: 'd/input.txt', tokenization: 'char', meta_path: 'd/meta.pkl' },
    ],
    ['a text in binary mode', { ...bins, data_path: 'a.txt' }, bins],
    [
      'a text where token files are missing',
      { input_mode: 'binary', data_path: 'a.txt' },
      { input_mode: 'text', data_path: 'a.txt' },
    ],
    ['only one of two token files', { input_mode: 'binary', train_bin: 'd/train.bin' }, bins],
    ['token files in text mode', { train_bin: 'd/train.bin', val_bin: 'd/val.bin' }, bins],
    ['a token file beside a text', { data_path: 'a.txt', val_bin: 'd/val.bin' }, { data_path: 'a.txt' }],
    ['a slip of the finger', { data_path: 'a.tx' }, { data_path: 'a.txt' }],
    [
      'a meta.pkl that is elsewhere',
      { data_path: 'd/input.txt', tokenization: 'char', meta_path: 'meta.pkl' },
      { data_path: 'd/input.txt', tokenization: 'char', meta_path: 'd/meta.pkl' },
    ],
    [
      'a meta.pkl for bpe',
      { data_path: 'a.txt', tokenization: 'bpe', meta_path: 'd/meta.pkl' },
      { data_path: 'a.txt', tokenization: 'bpe' },
    ],
  ] as const)('%s', (_, given, fixed) => {
    const files = disk('a.txt', 'd/', 'd/input.txt', 'd/meta.pkl', 'd/train.bin', 'd/val.bin', 'one/', 'one/book.txt');
    expect(fixOf(given, files)).toEqual({ fixed, left: [] });
  });

  it('are not guessed where several things could be meant', () => {
    const files = disk('d/', 'd/one.txt', 'd/two.txt', 'book.txt', 'book.md');
    for (const data_path of ['book.tex', 'elsewhere/x.txt', 'd/*.jsonl']) {
      const found = dataProblems(data({ data_path }), files, strict);
      expect(found.map(({ fix }) => fix)).toEqual([undefined]);
      expect(isFixable(found)).toBe(false);
    }
  });

  it('bring values into their range, or back to their default', () => {
    const given = { group_size: 1, temperature: 0, tokenization: 'chars', n_layer: 2.6, train_split: 1.5, top_k: 'x' };
    const checked = checkValues(projectShape, given);
    if (checked.ok) throw new Error('these are all out of range');
    expect(isFixable(checked.problems)).toBe(true);
    expect(applyFixes(given, checked.problems)).toEqual({
      ...{ tokenization: 'char', n_layer: 3, train_split: 0.99 },
    });
    const model = { n_embd: 130, n_head: 4 };
    expect(applyFixes(model, modelProblems(model))).toEqual({ n_embd: 132, n_head: 4 });
    expect(applyFixes({}, scheduleProblems({ learning_rate: 1e-3, min_lr: 1 }))).toEqual({ min_lr: 1e-4 });
  });

  it('of two that disagree only the first counts', () => {
    const found = [{ fix: { set: { a: 1 } } }, { fix: { set: { b: 2 }, unset: ['a'] } }, { fix: { unset: ['c'] } }];
    expect(applyFixes({ a: 0, c: 3 }, found as never)).toEqual({ a: 1 });
  });
});

describe('other checks', () => {
  it('asks for a width that the heads divide, and names the nearest', () => {
    expect(modelProblems({ n_embd: 128, n_head: 4 })).toEqual([]);
    const [problem] = modelProblems({ n_embd: 130, n_head: 4 }).map(plainFault);
    expect(problem).toMatchObject({ field: 'n_embd', message: 'n_embd (130) must be divisible by n_head (4)' });
    expect(problem?.hint).toContain('--n_embd 132');
    expect(modelProblems({ n_embd: 1, n_head: 8 }).map(plainFault)[0]?.hint).toContain('--n_embd 8');
  });

  it('names a model that is not there', () => {
    expect(modelFileProblems('model_path', 'nonexistent_model.pt', disk()).map(plainFault)[0]).toMatchObject({
      code: 'file_not_found',
      message: 'Model file not found: nonexistent_model.pt',
      hint: 'Check that the model checkpoint file exists and the path is correct',
    });
    expect(modelFileProblems('reward_model_path', 'r', disk('r/'))).toEqual([]);
  });

  it('refuses an output folder that is a file or not writable', () => {
    expect(outputProblems('out_dir', 'f', disk('f'))[0]?.code).toBe('exists');
    expect(outputProblems('out_dir', 'secret/out', disk())[0]?.code).toBe('file_not_writable');
    expect(outputProblems('out_dir', 'new', disk())).toEqual([]);
  });

  it('asks for a reward model that can say what the reward shape needs', () => {
    const fixOf = (reward_kind: RewardKind, reward_shape: ProjectConfig['reward_shape']) =>
      rewardShapeProblems({ reward_kind, reward_shape }).map(({ fix }) => fix);
    expect(fixOf('head', 'token_log_ratio')).toEqual([{ set: { reward_shape: 'fraction' } }]);
    expect(fixOf('head', 'expected_log_ratio')).toEqual([{ set: { reward_shape: 'fraction' } }]);
    expect(fixOf('critic', 'token_log_ratio')).toEqual([]);
    expect(fixOf('critic', 'expected_log_ratio')).toEqual([]);
  });

  it('has text learned from the critic only where all that it expects is the reward', () => {
    const fixOf = (reward_shape: 'expected_log_ratio' | 'token_log_ratio', ptx_coef = 1) =>
      mixedTextProblems({ reward_shape, ptx_coef, ptx_targets: 'critic' }).map(({ fix }) => fix);
    expect(fixOf('token_log_ratio')).toEqual([{ set: { ptx_targets: 'text' } }]);
    expect(fixOf('token_log_ratio', 0)).toEqual([]);
    expect(fixOf('expected_log_ratio')).toEqual([]);
  });

  it('warns of a learning rate that rises', () => {
    expect(scheduleProblems({ learning_rate: 1e-5, min_lr: 1e-4 })[0]?.severity).toBe('warning');
    expect(scheduleProblems({ learning_rate: 1e-4, min_lr: 1e-4 })).toEqual([]);
  });

  it('warns of a learning rate with which nothing survives, and takes it back to the default', () => {
    const wild = scheduleProblems({ learning_rate: 1e20, min_lr: 1e-5, grpo_learning_rate: 0.5 });
    expect(wild.map(({ field, severity }) => [field, severity])).toEqual([
      ['learning_rate', 'warning'],
      ['grpo_learning_rate', 'warning'],
    ]);
    expect(applyFixes({ learning_rate: 1e20, grpo_learning_rate: 0.5, seed: 1 }, wild)).toEqual({ seed: 1 });
    expect(scheduleProblems({ learning_rate: 0.1, min_lr: 1e-5, grpo_learning_rate: 0.1 })).toEqual([]);
  });

  it('a value below what makes sense goes back to the default, not to the smallest that is taken', () => {
    const given = { group_size: 1, train_split: -5, block_size: -1, n_layer: 1000, n_head: 2.4 };
    const checked = checkValues(projectShape, given);
    if (checked.ok) throw new Error('these are all out of range');
    expect(applyFixes(given, checked.problems)).toEqual({ n_layer: 256, n_head: 2 });
  });

  it('lists every value out of range, each with what it may be and what it does', () => {
    const checked = checkValues(projectShape, {
      group_size: 1,
      temperature: NaN,
      top_k: 0,
      block_size: 1,
      n_layer: 2.5,
    });
    if (checked.ok) throw new Error('these are all out of range');
    expect(checked.problems.map(({ field }) => field).sort()).toEqual([
      ...['block_size', 'group_size', 'n_layer', 'temperature', 'top_k'],
    ]);
    const group = checked.problems.map(plainFault).find(({ field }) => field === 'group_size');
    expect(group?.message).toBe('group_size must be a whole number from 2 to 4096; got "1"');
    expect(group?.hint).toContain('each is judged against the others of its group');
  });
});
