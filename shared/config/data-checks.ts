/**
 * Whether the settings of where a text comes from can work: input mode, files and tokenization together (specification 4.2). Pure; every problem at once, in the documented words, each with the change that fixes it where one is surely meant.
 */
import { nearest } from '../base/nearest.js';
import { option, say, setting } from '../sentence.js';
import { aboutFile, error, warning, type FileFacts, type Problem } from './checks.js';
import type { DataConfig } from './data.js';
import type { Fix } from './fixes.js';
import { inputNames } from './file-kinds.js';
import { folderOf, inFolder, isPattern, nameOf } from './input-names.js';
import { criticModelPath } from './scoring-models.js';

interface DataRules {
  /** The specification's rule for reward data: char tokenization is only taken together with its meta.pkl. */
  readonly charNeedsMeta: boolean;
}

/** With the critic's model, where the text's tokens are to be its own. */
type TextConfig = DataConfig & { readonly critic_from?: string | undefined };

export function dataProblems(config: TextConfig, files: FileFacts, rules: DataRules): Problem[] {
  const found = config.input_mode === 'text' ? textProblems(config, files) : binaryProblems(config, files);
  return [
    ...found,
    ...sharingProblems(config),
    ...metaProblems(config, files, rules),
    ...tokenizerProblems(config, files),
  ];
}

/** Tokens are shared with a critic that knows them. */
function sharingProblems(config: TextConfig): Problem[] {
  if (config.tokenization !== 'shared' || criticModelPath(config) !== null) return [];
  const message = say`${setting('tokenization', 'shared')} needs ${setting('critic_from')}, the model whose tokens they are`;
  const hint = say`Use ${option('tokenization', 'learned')}, or make a project with ${option('critic_from')}.`;
  return [error('bad_input', 'tokenization', message, hint, { set: { tokenization: 'learned' } })];
}

/** A pretrained model's tokenizer: a file, the folder that holds it, or what lies beside the data. */
function tokenizerProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { tokenizer_path: path, tokenization } = config;
  const field = 'tokenizer_path';
  if (path === undefined) {
    if (tokenization !== 'pretrained' || fileBeside(config, files, TOKENIZER) !== null) return [];
    const message = say`${setting('tokenizer_path')} is required when ${setting('tokenization')} is 'pretrained'`;
    const hint = say`Give ${option('tokenizer_path')} and a tokenizer.json, the folder that holds it, or a GGUF file.`;
    return [aboutFile('required', error('bad_input', field, message, hint))];
  }
  if (['bpe', 'char', 'learned', 'shared'].includes(tokenization)) {
    const message = say`${setting('tokenizer_path')} is ignored when ${setting('tokenization')} is '${tokenization}'`;
    const hint = say`Leave ${option('tokenizer_path')} out, or use ${option('tokenization', 'pretrained')}.`;
    return [aboutFile('ignored', warning('bad_input', field, message, hint, { unset: [field] }))];
  }
  const file = files.kind(path) === 'folder' ? inFolder(path, TOKENIZER) : path;
  return fileProblems(file, field, 'Tokenizer', TOKENIZER, files);
}

const TOKENIZER = 'tokenizer.json';

function textProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { data_path } = config;
  const bins = (['train_bin', 'val_bin'] as const).filter((field) => config[field] !== undefined);
  // Without a text, the token files are what was meant.
  const meansBinary = data_path === undefined && bins.length === 2;
  const found = bins.map((field) => {
    const hint = say`Add ${option('input_mode', 'binary')}, or leave ${option(field)} out.`;
    const fix: Fix = meansBinary ? { set: { input_mode: 'binary' } } : { unset: [field] };
    return aboutFile('ignored', error('bad_input', field, say`${setting(field)} is ignored in text mode`, hint, fix));
  });
  if (data_path !== undefined && data_path !== '') return [...found, ...textFileProblems(data_path, files)];
  if (found.length > 0) return found;
  const hint = say`Give ${option('data_path')} and a text file, or ${option('input_mode', 'binary')} with ${option('train_bin')} and ${option('val_bin')}.`;
  const message = say`${setting('data_path')} is required in text mode`;
  return [aboutFile('required', error('bad_input', 'data_path', message, hint))];
}

/** A text may be a file, a folder with an input file or texts in it, or a pattern. */
function textFileProblems(path: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'folder') {
    const inside = inputNames.map((name) => inFolder(path, name));
    const input = inside.find((file) => files.kind(file) === 'file');
    if (input !== undefined) return unreadable('data_path', 'Data', [input], files);
    // What of it cannot be read is left out and told when it is read.
    if (files.textsIn(path).length > 0) return [];
    const hint = 'Put texts there, such as .txt or .md files, or name a text file instead of a folder.';
    const message = `Data folder holds no text: ${path}`;
    return [aboutFile('missing', error('file_not_found', 'data_path', message, hint))];
  }
  if (kind === 'missing' && isPattern(path)) {
    const matching = files.matching(path);
    if (matching.length > 0) return unreadable('data_path', 'Data', matching, files);
    const hint = 'Check the pattern; in a terminal it must stand in quotes, or the shell replaces it.';
    return [
      aboutFile(
        'missing',
        error('file_not_found', 'data_path', say`No file matches ${setting('data_path')}: ${path}`, hint),
      ),
    ];
  }
  const wrong = fileProblems(path, 'data_path', 'Data', 'text file', files);
  return wrong.length > 0 || !isTable(path) ? wrong : [tableWarning(path)];
}

const isTable = (path: string): boolean => /\.(csv|tsv)$/i.test(path);

function tableWarning(path: string): Problem {
  const message = `${nameOf(path)} is a table, and is read as it stands, with its separators and quotes`;
  const hint = say`To learn from one column, write it to a .jsonl file and name the column as ${option('text_field')}.`;
  return warning('bad_input', 'data_path', message, hint);
}

function binaryProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { data_path, train_bin, val_bin } = config;
  const found: Problem[] = [];
  if (config.tokenization === 'learned') {
    const message = say`${setting('tokenization', 'learned')} needs a text to learn from, not binary files`;
    const hint = say`Use ${option('tokenization', 'auto')}: the files bring their own tokens with them.`;
    found.push(error('bad_input', 'tokenization', message, hint, { set: { tokenization: 'auto' } }));
  }
  if (data_path !== undefined) {
    const hint = say`Leave ${option('data_path')} out, or use ${option('input_mode', 'text')}.`;
    // Without token files, the text is what was meant.
    const fix: Fix =
      train_bin === undefined && val_bin === undefined ? { set: { input_mode: 'text' } } : { unset: ['data_path'] };
    const message = say`${setting('data_path')} is ignored in binary mode`;
    found.push(aboutFile('ignored', error('bad_input', 'data_path', message, hint, fix)));
  }
  const meansText = data_path !== undefined && train_bin === undefined && val_bin === undefined;
  for (const [field, name] of [
    ['train_bin', 'Train binary'],
    ['val_bin', 'Val binary'],
  ] as const) {
    const path = config[field];
    if (path !== undefined && path !== '') {
      found.push(...fileProblems(path, field, name, 'binary file', files));
      continue;
    }
    const other = field === 'train_bin' ? val_bin : train_bin;
    const beside = other === undefined ? undefined : inFolder(folderOf(other), `${field.replace('_', '.')}`);
    const fix: Fix | undefined = meansText
      ? { set: { input_mode: 'text' } }
      : only(beside !== undefined && files.kind(beside) === 'file' ? [beside] : [], field);
    const hint = say`Give ${option(field)} and a file of uint16 tokens.`;
    const message = say`${setting(field)} is required in binary mode`;
    found.push(aboutFile('required', error('bad_input', field, message, hint, fix)));
  }
  return found;
}

function metaProblems(config: DataConfig, files: FileFacts, rules: DataRules): Problem[] {
  const { meta_path, tokenization } = config;
  const beside = metaBeside(config, files);
  if (meta_path !== undefined) {
    if (tokenization === 'bpe' || tokenization === 'learned' || tokenization === 'shared') {
      const hint = say`Leave ${option('meta_path')} out, or use ${option('tokenization', 'char')}.`;
      const message = say`${setting('meta_path')} is ignored when ${setting('tokenization')} is '${tokenization}'`;
      return [aboutFile('ignored', warning('bad_input', 'meta_path', message, hint, { unset: ['meta_path'] }))];
    }
    return fileProblems(meta_path, 'meta_path', 'Meta', 'meta.pkl', files).map((found) =>
      beside === null ? found : { ...found, fix: { set: { meta_path: beside } } },
    );
  }
  if (tokenization !== 'char') return [];
  if (!rules.charNeedsMeta && (config.input_mode === 'text' || beside !== null)) return [];
  const message = say`${setting('meta_path')} is required when ${setting('tokenization')} is 'char'`;
  const hint = say`Specify ${option('meta_path')} when using character tokenization, or use ${option('tokenization', 'auto')}`;
  const fix: Fix = { set: beside === null ? { tokenization: 'auto' } : { meta_path: beside } };
  return [aboutFile('required', error('meta_file', 'meta_path', message, hint, fix))];
}

const metaBeside = (config: DataConfig, files: FileFacts): string | null => fileBeside(config, files, 'meta.pkl');

/** A file of this name in the folder of the data, or null. */
function fileBeside({ input_mode, data_path, train_bin }: DataConfig, files: FileFacts, name: string): string | null {
  const data = input_mode === 'text' ? data_path : train_bin;
  if (data === undefined) return null;
  const file = inFolder(files.kind(data) === 'folder' ? data : folderOf(data), name);
  return files.kind(file) === 'file' ? file : null;
}

function fileProblems(path: string, field: string, name: string, what: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'missing') return [notFound(field, name, what, path, similarFile(path, field, files))];
  if (kind === 'folder') {
    const message = `${name} file is a folder: ${path}`;
    return [aboutFile('folder', error('file_not_readable', field, message, `Give the ${what} itself.`))];
  }
  return unreadable(field, name, [path], files);
}

function notFound(field: string, name: string, what: string, path: string, fix: Fix | undefined): Problem {
  const meant = fix?.set?.[field];
  const hint = `Check that the ${what} exists and the path is correct${meant === undefined ? '' : `; there is ${String(meant)}`}`;
  return aboutFile('missing', error('file_not_found', field, `${name} file not found: ${path}`, hint, fix));
}

function unreadable(field: string, name: string, paths: readonly string[], files: FileFacts): Problem[] {
  return paths
    .filter((path) => !files.readable(path))
    .map((path) => {
      const hint = `Allow reading it: chmod u+r "${path}"`;
      return aboutFile('unreadable', error('file_not_readable', field, `${name} file cannot be read: ${path}`, hint));
    });
}

/** A file in the same folder whose name differs by little: a slip of the finger, another ending or other capitals. */
function similarFile(path: string, field: string, files: FileFacts): Fix | undefined {
  if (isPattern(path)) return undefined;
  const folder = folderOf(path);
  const there = files.matching(inFolder(folder, '*'));
  const stem = (name: string): string => (nameOf(name).toLowerCase().split('.')[0] ?? '').trim();
  const alike = there.filter((file) => stem(file) === stem(path));
  if (alike.length > 0) return only(alike, field);
  const meant = nearest(nameOf(path), there.map(nameOf));
  return meant === null ? undefined : only([inFolder(folder, meant)], field);
}

const only = (paths: readonly string[], field: string): Fix | undefined =>
  paths.length === 1 ? { set: { [field]: paths[0] ?? '' } } : undefined;
