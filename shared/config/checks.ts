/**
 * What makes settings impossible: each value on its own, and the ones that do not go together. Pure functions that
 * return every problem at once, so that a person mends them in one go; wording where seed 000, part 3.1.6, gives it.
 */
import { z } from 'zod';
import type { FaultCode } from '../errors.js';
import type { DataConfig } from './data.js';
import { acceptedValues, describeField, typedValue, type Shape } from './fields.js';

export interface Problem {
  /** A warning is worth reading; only an error keeps the command from running. */
  readonly severity: 'error' | 'warning';
  readonly code: FaultCode;
  readonly field: string | null;
  readonly message: string;
  readonly hint: string;
}

/** What is on disk, as far as the checks need to know; paths are as the person wrote them. */
export interface FileFacts {
  kind(path: string): 'file' | 'folder' | 'missing';
  readable(path: string): boolean;
  /** False when the nearest folder that exists may not be written to. */
  writable(path: string): boolean;
}

const problem =
  (severity: Problem['severity']) =>
  (code: FaultCode, field: string | null, message: string, hint: string): Problem => ({
    severity,
    code,
    field,
    message,
    hint,
  });
export const error = problem('error');
export const warning = problem('warning');

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** Parses values against a shape; every value that is out of range is one problem, in words. */
export function checkValues(shape: Shape, values: Readonly<Record<string, unknown>>): Checked<Record<string, unknown>> {
  const result = z.object(shape).safeParse(values);
  if (result.success) return { ok: true, value: result.data };
  const keys = [...new Set(result.error.issues.map((issue) => String(issue.path[0] ?? '')))];
  return { ok: false, problems: keys.map((key) => valueProblem(key, shape, values[key])) };
}

function valueProblem(key: string, shape: Shape, value: unknown): Problem {
  const schema = shape[key];
  if (!schema) return error('bad_input', key, `${key} is not a setting`, 'Leave it out.');
  const field = describeField(key, schema);
  if (value === undefined) {
    return error('bad_input', key, `${key} is required`, `Give --${key}. ${field.label}: ${field.help}`);
  }
  const initial = field.default === undefined ? '' : ` The default is ${typedValue(field.default)}.`;
  return error(
    'bad_input',
    key,
    `${key} must be ${acceptedValues(field)}; got ${JSON.stringify(typedValue(value))}`,
    `${field.label}: ${field.help}${initial}`,
  );
}

/** The network's shape: what each field alone cannot say. */
export function modelProblems(config: { readonly n_embd: number; readonly n_head: number }): Problem[] {
  const { n_embd, n_head } = config;
  if (n_embd % n_head === 0) return [];
  const nearest = Math.max(1, Math.round(n_embd / n_head)) * n_head;
  return [
    error(
      'bad_input',
      'n_embd',
      `n_embd (${n_embd}) must be divisible by n_head (${n_head})`,
      `Use --n_embd ${nearest}, the nearest that is, or another --n_head: each head takes an equal share of the width.`,
    ),
  ];
}

export function scheduleProblems(config: { readonly learning_rate: number; readonly min_lr: number }): Problem[] {
  if (config.min_lr <= config.learning_rate) return [];
  return [
    warning(
      'bad_input',
      'min_lr',
      `min_lr (${config.min_lr}) is above learning_rate (${config.learning_rate}), so the learning rate rises`,
      'Usually min_lr is a tenth of learning_rate.',
    ),
  ];
}

export interface DataRules {
  /** The seeds' rule for reward data: char tokenization is only taken together with its meta.pkl. */
  readonly charNeedsMeta: boolean;
}

/** Where the text comes from: input mode, files and tokenization together (seed 000, part 3.1.6). */
export function dataProblems(config: DataConfig, files: FileFacts, rules: DataRules): Problem[] {
  const found = config.input_mode === 'text' ? textProblems(config, files) : binaryProblems(config, files);
  return [...found, ...metaProblems(config, files, rules)];
}

/** A folder or a pattern passes here: it is looked into when the text is read. */
function textProblems(config: DataConfig, files: FileFacts): Problem[] {
  const found: Problem[] = [];
  for (const field of ['train_bin', 'val_bin'] as const) {
    if (config[field] === undefined) continue;
    found.push(
      error(
        'bad_input',
        field,
        `${field} is ignored in text mode`,
        `Add --input_mode binary, or leave --${field} out.`,
      ),
    );
  }
  if (config.data_path === undefined) {
    if (found.length > 0) return found;
    found.push(
      error(
        'bad_input',
        'data_path',
        'data_path is required in text mode',
        'Give --data_path and a text file, or --input_mode binary with --train_bin and --val_bin.',
      ),
    );
  } else if (files.kind(config.data_path) !== 'folder' && !isPattern(config.data_path, files)) {
    found.push(...fileProblems(config.data_path, 'data_path', 'Data', 'text file', files));
  }
  return found;
}

function binaryProblems(config: DataConfig, files: FileFacts): Problem[] {
  const found: Problem[] = [];
  if (config.data_path !== undefined) {
    found.push(
      error(
        'bad_input',
        'data_path',
        'data_path is ignored in binary mode',
        'Leave --data_path out, or use --input_mode text.',
      ),
    );
  }
  for (const [field, name] of [
    ['train_bin', 'Train binary'],
    ['val_bin', 'Val binary'],
  ] as const) {
    const path = config[field];
    if (path === undefined) {
      found.push(
        error(
          'bad_input',
          field,
          `${field} is required in binary mode`,
          `Give --${field} and a file of uint16 tokens.`,
        ),
      );
    } else found.push(...fileProblems(path, field, name, 'binary file', files));
  }
  return found;
}

function metaProblems(config: DataConfig, files: FileFacts, rules: DataRules): Problem[] {
  if (config.meta_path !== undefined) {
    const missing = fileProblems(config.meta_path, 'meta_path', 'Meta', 'meta.pkl', files);
    if (config.tokenization !== 'bpe') return missing;
    return [
      warning(
        'bad_input',
        'meta_path',
        "meta_path is ignored when tokenization is 'bpe'",
        'Leave --meta_path out, or use --tokenization char.',
      ),
    ];
  }
  if (config.tokenization !== 'char') return [];
  const beside = config.train_bin?.replace(/[^/\\]*$/, 'meta.pkl');
  const foundBeside = beside !== undefined && files.kind(beside) === 'file';
  if (!rules.charNeedsMeta && (config.input_mode === 'text' || foundBeside)) return [];
  return [
    error(
      'meta_file',
      'meta_path',
      "meta_path is required when tokenization is 'char'",
      'Specify --meta_path when using character tokenization, or use --tokenization auto',
    ),
  ];
}

const isPattern = (path: string, files: FileFacts) => /[*?[{]/.test(path) && files.kind(path) === 'missing';

function fileProblems(path: string, field: string, name: string, what: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'missing') {
    const hint = `Check that the ${what} exists and the path is correct`;
    return [error('file_not_found', field, `${name} file not found: ${path}`, hint)];
  }
  if (kind === 'folder') {
    return [error('file_not_readable', field, `${name} file is a folder: ${path}`, `Give the ${what} itself.`)];
  }
  if (!files.readable(path)) {
    const hint = `Allow reading it: chmod u+r "${path}"`;
    return [error('file_not_readable', field, `${name} file cannot be read: ${path}`, hint)];
  }
  return [];
}

/** A model to start from: a folder with weights in it, or the weights file. */
export function modelFileProblems(field: string, path: string, files: FileFacts): Problem[] {
  const name = field === 'reward_model_path' ? 'Reward model' : 'Model';
  if (files.kind(path) === 'missing') {
    const hint = 'Check that the model checkpoint file exists and the path is correct';
    return [error('file_not_found', field, `${name} file not found: ${path}`, hint)];
  }
  if (!files.readable(path)) {
    return [
      error(
        'file_not_readable',
        field,
        `${name} file cannot be read: ${path}`,
        `Allow reading it: chmod -R u+rX "${path}"`,
      ),
    ];
  }
  return [];
}

/** A folder to write to: it may be missing, but must be possible to make. */
export function outputProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'file') {
    return [error('exists', field, `${field} is a file, not a folder: ${path}`, `Give --${field} another folder.`)];
  }
  if (files.writable(path)) return [];
  const hint = `Give --${field} a folder of your own, or allow writing there.`;
  return [error('file_not_writable', field, `Cannot write to ${path}: no permission`, hint)];
}
