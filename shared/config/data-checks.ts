/**
 * Whether the settings of where a text comes from can work: input mode, files and tokenization together (specification 4.2). Pure; every problem at once, in the documented words, each with the change that fixes it where one is surely meant.
 */
import { localized } from '../messages/message.js';
import { nearest } from '../base/nearest.js';
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
  const message = localized('config.tokenization_shared_needs_critic_model');
  const hint = localized('config.use_tokenization_learned_make_project');
  return [error('bad_input', 'tokenization', message, hint, { set: { tokenization: 'learned' } })];
}

/** A pretrained model's tokenizer: a file, the folder that holds it, or what lies beside the data. */
function tokenizerProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { tokenizer_path: path, tokenization } = config;
  const field = 'tokenizer_path';
  if (path === undefined) {
    if (tokenization !== 'pretrained' || fileBeside(config, files, TOKENIZER) !== null) return [];
    const message = localized('config.tokenizer_path_required_when_tokenization');
    const hint = localized('config.give_tokenizer_path_tokenizer_json');
    return [aboutFile('required', error('bad_input', field, message, hint))];
  }
  if (['bpe', 'char', 'learned', 'shared'].includes(tokenization)) {
    const message = localized('config.tokenizer_path_ignored_when_tokenization', { tokenization });
    const hint = localized('config.leave_tokenizer_path_out_use');
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
    const hint = localized('config.add_input_mode_binary_leave', { field });
    const fix: Fix = meansBinary ? { set: { input_mode: 'binary' } } : { unset: [field] };
    return aboutFile('ignored', error('bad_input', field, localized('config.ignored_text_mode', { field }), hint, fix));
  });
  if (data_path !== undefined && data_path !== '') return [...found, ...textFileProblems(data_path, files)];
  if (found.length > 0) return found;
  const hint = localized('config.give_data_path_text_file');
  const message = localized('config.data_path_required_text_mode');
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
        error('file_not_found', 'data_path', localized('config.no_file_matches_data_path', { path }), hint),
      ),
    ];
  }
  const wrong = fileProblems(path, 'data_path', 'Data', 'text file', files);
  return wrong.length > 0 || !isTable(path) ? wrong : [tableWarning(path)];
}

const isTable = (path: string): boolean => /\.(csv|tsv)$/i.test(path);

function tableWarning(path: string): Problem {
  const message = `${nameOf(path)} is a table, and is read as it stands, with its separators and quotes`;
  const hint = localized('config.learn_one_column_write_jsonl');
  return warning('bad_input', 'data_path', message, hint);
}

function binaryProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { data_path, train_bin, val_bin } = config;
  const found: Problem[] = [];
  if (config.tokenization === 'learned') {
    const message = localized('config.tokenization_learned_needs_text_learn');
    const hint = localized('config.use_tokenization_auto_files_bring');
    found.push(error('bad_input', 'tokenization', message, hint, { set: { tokenization: 'auto' } }));
  }
  if (data_path !== undefined) {
    const hint = localized('config.leave_data_path_out_use');
    // Without token files, the text is what was meant.
    const fix: Fix =
      train_bin === undefined && val_bin === undefined ? { set: { input_mode: 'text' } } : { unset: ['data_path'] };
    const message = localized('config.data_path_ignored_binary_mode');
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
    const hint = localized('config.give_file_uint16_tokens', { field });
    const message = localized('config.required_binary_mode', { field });
    found.push(aboutFile('required', error('bad_input', field, message, hint, fix)));
  }
  return found;
}

function metaProblems(config: DataConfig, files: FileFacts, rules: DataRules): Problem[] {
  const { meta_path, tokenization } = config;
  const beside = metaBeside(config, files);
  if (meta_path !== undefined) {
    if (tokenization === 'bpe' || tokenization === 'learned' || tokenization === 'shared') {
      const hint = localized('config.leave_meta_path_out_use');
      const message = localized('config.meta_path_ignored_when_tokenization', { tokenization });
      return [aboutFile('ignored', warning('bad_input', 'meta_path', message, hint, { unset: ['meta_path'] }))];
    }
    return fileProblems(meta_path, 'meta_path', 'Meta', 'meta.pkl', files).map((found) =>
      beside === null ? found : { ...found, fix: { set: { meta_path: beside } } },
    );
  }
  if (tokenization !== 'char') return [];
  if (!rules.charNeedsMeta && (config.input_mode === 'text' || beside !== null)) return [];
  const message = localized('config.meta_path_required_when_tokenization');
  const hint = localized('config.specify_meta_path_when_using');
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
    return [aboutFile('folder', error('file_not_readable', field, message, localized('config.give_itself', { what })))];
  }
  return unreadable(field, name, [path], files);
}

function notFound(field: string, name: string, what: string, path: string, fix: Fix | undefined): Problem {
  const meant = fix?.set?.[field];
  const hint = `Check that the ${what} exists and the path is correct${meant === undefined ? '' : `; there is ${String(meant)}`}`;
  return aboutFile(
    'missing',
    error('file_not_found', field, localized('config.file_found', { name, path }), hint, fix),
  );
}

function unreadable(field: string, name: string, paths: readonly string[], files: FileFacts): Problem[] {
  return paths
    .filter((path) => !files.readable(path))
    .map((path) => {
      const hint = `Allow reading it: chmod u+r "${path}"`;
      return aboutFile(
        'unreadable',
        error('file_not_readable', field, localized('config.file_cannot_read', { name, path }), hint),
      );
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
