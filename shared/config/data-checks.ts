/** Checks input mode, files and tokenization together (specification 4.2). Pure; returns every problem at once. */
import { localized } from '../messages/message.js';
import { nearest } from '../base/nearest.js';
import {
  aboutFile,
  error,
  fileOf,
  kindOfFile,
  missingFile,
  unreadableFile,
  warning,
  type FileFacts,
  type Problem,
} from './checks.js';
import { shellWord } from './command-line.js';
import type { DataConfig } from './data.js';
import type { Fix } from './fixes.js';
import { inputNames } from './file-kinds.js';
import { folderOf, inFolder, isPattern, nameOf } from './input-names.js';
import { criticModelPath } from './scoring-models.js';

interface DataRules {
  /** Reward data accepts char tokenization only with its meta.pkl. */
  readonly charNeedsMeta: boolean;
}

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

/** A pretrained model's tokenizer: a file, the folder that holds it, or a file next to the data. */
function tokenizerProblems(config: DataConfig, files: FileFacts): Problem[] {
  const { tokenizer_path: path, tokenization } = config;
  const field = 'tokenizer_path';
  if (path === undefined) {
    if (tokenization !== 'pretrained' || fileNextToData(config, files, TOKENIZER) !== null) return [];
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
  return fileProblems(file, field, files);
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
    if (input !== undefined) return unreadable('data_path', [input], files);
    // Unreadable ones are left out and reported when they are read.
    if (files.textsIn(path).length > 0) return [];
    const hint = localized('config.put_texts_there');
    const message = localized('config.folder_without_text', { path });
    return [aboutFile('missing', error('file_not_found', 'data_path', message, hint))];
  }
  if (kind === 'missing' && isPattern(path)) {
    const matching = files.matching(path);
    if (matching.length > 0) return unreadable('data_path', matching, files);
    const message = localized('config.no_file_matches_data_path', { path });
    return [aboutFile('missing', error('file_not_found', 'data_path', message, localized('config.check_pattern')))];
  }
  return fileProblems(path, 'data_path', files);
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
  for (const field of ['train_bin', 'val_bin'] as const) {
    const path = config[field];
    if (path !== undefined && path !== '') {
      found.push(...fileProblems(path, field, files));
      continue;
    }
    const other = field === 'train_bin' ? val_bin : train_bin;
    const sibling = other === undefined ? undefined : inFolder(folderOf(other), `${field.replace('_', '.')}`);
    const fix: Fix | undefined = meansText
      ? { set: { input_mode: 'text' } }
      : only(sibling !== undefined && files.kind(sibling) === 'file' ? [sibling] : [], field);
    const hint = localized('config.give_file_uint16_tokens', { field });
    const message = localized('config.required_binary_mode', { field });
    found.push(aboutFile('required', error('bad_input', field, message, hint, fix)));
  }
  return found;
}

function metaProblems(config: DataConfig, files: FileFacts, rules: DataRules): Problem[] {
  const { meta_path, tokenization } = config;
  const sibling = fileNextToData(config, files, 'meta.pkl');
  if (meta_path !== undefined) {
    if (tokenization === 'bpe' || tokenization === 'learned' || tokenization === 'shared') {
      const hint = localized('config.leave_meta_path_out_use');
      const message = localized('config.meta_path_ignored_when_tokenization', { tokenization });
      return [aboutFile('ignored', warning('bad_input', 'meta_path', message, hint, { unset: ['meta_path'] }))];
    }
    return fileProblems(meta_path, 'meta_path', files).map((found) =>
      sibling === null ? found : { ...found, fix: { set: { meta_path: sibling } } },
    );
  }
  if (tokenization !== 'char') return [];
  if (!rules.charNeedsMeta && (config.input_mode === 'text' || sibling !== null)) return [];
  const message = localized('config.meta_path_required_when_tokenization');
  const hint = localized('config.specify_meta_path_when_using');
  const fix: Fix = { set: sibling === null ? { tokenization: 'auto' } : { meta_path: sibling } };
  return [aboutFile('required', error('meta_file', 'meta_path', message, hint, fix))];
}

/** A file of this name in the folder of the data, or null. */
function fileNextToData(
  { input_mode, data_path, train_bin }: DataConfig,
  files: FileFacts,
  name: string,
): string | null {
  const data = input_mode === 'text' ? data_path : train_bin;
  if (data === undefined) return null;
  const file = inFolder(files.kind(data) === 'folder' ? data : folderOf(data), name);
  return files.kind(file) === 'file' ? file : null;
}

function fileProblems(path: string, field: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'missing') return [missingFile(field, path, similarFile(path, field, files))];
  if (kind === 'file') return unreadable(field, [path], files);
  const message = localized('config.file_is_folder', { file: fileOf(field), path });
  const hint = localized('config.give_file_itself', { kind: kindOfFile(field) });
  return [aboutFile('folder', error('file_not_readable', field, message, hint))];
}

const unreadable = (field: string, paths: readonly string[], files: FileFacts): Problem[] =>
  paths
    .filter((path) => !files.readable(path))
    .map((path) => unreadableFile(field, path, `chmod u+r ${shellWord(path)}`));

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
