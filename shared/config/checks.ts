/**
 * What makes settings impossible: each value on its own, and the ones that do not go together. Pure functions that
 * return every problem at once, so that a person fixes them in one go; wording where specification 4.2 gives it.
 */
import { z } from 'zod';
import type { FaultCode } from '../errors.js';
import type { ProjectConfig } from './index.js';
import { localized } from '../messages/message.js';
import { nearest } from '../base/nearest.js';
import { option, say, setting, type Sentence } from '../sentence.js';
import { learnsTextFromCritic } from './grpo.js';
import { parseHubName } from './hub-name.js';
import { initialModelPath, namedModels } from './init.js';
import { criticModelPath } from './scoring-models.js';
import { multipleOfWidth, nearestWidth } from './model.js';
import { isForPretrained } from './presets.js';
import { acceptedValues, describeField, typedValue, type Field, type Shape } from './fields.js';
import type { Fix } from './fixes.js';

/** What is wrong with a file or folder that a setting names; each surface has its own words for it. */
export const fileTroubles = ['required', 'ignored', 'missing', 'unreadable', 'folder'] as const;
type FileTrouble = (typeof fileTroubles)[number];

export interface Problem {
  /** A warning is worth reading; only an error keeps the command from running. */
  readonly severity: 'error' | 'warning';
  readonly code: FaultCode;
  readonly field: string | null;
  /** Where it is about a file: the window has words of its own for that. */
  readonly trouble?: FileTrouble;
  readonly message: Sentence;
  readonly hint: Sentence;
  /** A change of settings that fixes it, where there is one that is surely meant. */
  readonly fix?: Fix;
}

/** What is on disk, as far as the checks need to know; paths are as the person wrote them. */
export interface FileFacts {
  kind(path: string): 'file' | 'folder' | 'missing';
  readable(path: string): boolean;
  /** False when the nearest folder that exists may not be written to. */
  writable(path: string): boolean;
  /** The files that a pattern (`texts/*.txt`) names, sorted. */
  matching(pattern: string): readonly string[];
  /** The texts in a folder and its subfolders, as they are read where it is given as the text. */
  textsIn(folder: string): readonly string[];
}

const problem =
  (severity: Problem['severity']) =>
  (code: FaultCode, field: string | null, message: Sentence, hint: Sentence, fix?: Fix): Problem => ({
    severity,
    code,
    field,
    message,
    hint,
    ...(fix === undefined ? {} : { fix }),
  });
export const error = problem('error');
export const warning = problem('warning');

export const aboutFile = (trouble: FileTrouble, found: Problem): Problem => ({ ...found, trouble });

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Parses values against a shape; every value that is out of range is one problem, in words. */
export function checkValues(shape: Shape, values: Readonly<Record<string, unknown>>): Checked<Record<string, unknown>> {
  const result = z.object(shape).safeParse(values);
  if (result.success) return { ok: true, value: result.data };
  const keys = [...new Set(result.error.issues.map((issue) => String(issue.path[0] ?? '')))];
  return { ok: false, problems: keys.map((key) => valueProblem(key, shape, values[key])) };
}

function valueProblem(key: string, shape: Shape, value: unknown): Problem {
  const schema = shape[key];
  if (!schema) return error('bad_input', key, say`${setting(key)} is not a setting`, 'Leave it out.');
  const field = describeField(key, schema);
  if (value === undefined) {
    const hint = say`Give ${option(key)}. ${localized(field.label)}: ${localized(field.help)}`;
    return error('bad_input', key, say`${setting(key)} is required`, hint);
  }
  const initial = field.default === undefined ? '' : ` The default is ${typedValue(field.default)}.`;
  return error(
    'bad_input',
    key,
    say`${setting(key)} must be ${acceptedValues(field)}; got ${JSON.stringify(typedValue(value))}`,
    say`${localized(field.label)}: ${localized(field.help)}${initial}`,
    valueFix(field, value),
  );
}

/**
 * What was meant, where that can be told: the name that is nearest, the largest value, a whole number. A value below what
 * makes sense says nothing of what was meant, and the smallest that is taken is seldom of use: then it is the default.
 */
function valueFix(field: Field, value: unknown): Fix | undefined {
  const { key, min, max } = field;
  if (field.kind === 'choice') {
    const meant = nearest(String(value).toLowerCase(), field.options);
    if (meant !== null) return { set: { [key]: meant } };
  }
  if ((field.kind === 'whole' || field.kind === 'real') && typeof value === 'number' && Number.isFinite(value)) {
    if (max !== null && value > max) return { set: { [key]: max } };
    if (min !== null && value < min && !field.aboveMin && field.required) return { set: { [key]: min } };
    const isBelow = min !== null && value < min;
    if (field.kind === 'whole' && !Number.isInteger(value) && !isBelow) return { set: { [key]: Math.round(value) } };
  }
  return field.required ? undefined : { unset: [key] };
}

/** The network's shape: what each field alone cannot say. */
export function modelProblems(config: Parameters<typeof nearestWidth>[0]): Problem[] {
  const { n_embd, n_head } = config;
  const divisor = multipleOfWidth(config);
  if (n_embd % divisor === 0) return [];
  const multiple = nearestWidth(config);
  return [
    error(
      'bad_input',
      'n_embd',
      say`${setting('n_embd')} (${n_embd}) must be divisible by ${divisor === n_head ? '' : 'twice '}${setting('n_head')} (${n_head})`,
      say`Use ${option('n_embd')} ${multiple}, the nearest that is, or another ${option('n_head')}: each head takes an equal share of the width.`,
      { set: { n_embd: multiple } },
    ),
  ];
}

/** No training of a transformer by Adam has survived one as large as this. */
const LARGEST_RATE = 0.1;

/** A learning rate that is a slip of the keyboard, and one that rises. */
export function scheduleProblems(config: {
  readonly learning_rate: number;
  readonly min_lr: number;
  readonly grpo_learning_rate?: number;
}): Problem[] {
  const { learning_rate } = config;
  const wild = (['learning_rate', 'grpo_learning_rate'] as const).flatMap((key) => {
    const rate = config[key] ?? 0;
    if (rate <= LARGEST_RATE) return [];
    const message = say`${setting(key)} is ${rate}, with which training diverges`;
    return [warning('bad_input', key, message, say`Usually it is between 0.00001 and 0.01.`, { unset: [key] })];
  });
  if (config.min_lr <= learning_rate) return wild;
  return [
    ...wild,
    warning(
      'bad_input',
      'min_lr',
      say`${setting('min_lr')} (${config.min_lr}) is above ${setting('learning_rate')} (${learning_rate}), so the learning rate rises`,
      say`Usually ${setting('min_lr')} is a tenth of ${setting('learning_rate')}.`,
      { set: { min_lr: learning_rate / 10 } },
    ),
  ];
}

/** Rewards for each token come from a critic. */
export function rewardShapeProblems(config: Pick<ProjectConfig, 'reward_kind' | 'reward_shape'>): Problem[] {
  const { reward_kind, reward_shape } = config;
  if (reward_shape === 'fraction' || reward_kind === 'critic') return [];
  const [shape, kind] = [setting('reward_shape', reward_shape), setting('reward_kind', reward_kind)];
  return [
    error(
      'bad_input',
      'reward_shape',
      say`${shape} needs ${setting('reward_kind', 'critic')}, not ${kind}`,
      say`Use ${option('reward_shape', 'fraction')}, or ${option('reward_kind', 'critic')}.`,
      { set: { reward_shape: 'fraction' } },
    ),
  ];
}

/** Text is learned from the critic where all that it expects is the reward too. */
export function mixedTextProblems(config: Pick<ProjectConfig, 'reward_shape' | 'ptx_coef' | 'ptx_targets'>): Problem[] {
  const { reward_shape, ptx_targets } = config;
  if (!learnsTextFromCritic(config) || reward_shape === 'expected_log_ratio') return [];
  const [targets, shape] = [setting('ptx_targets', ptx_targets), setting('reward_shape', reward_shape)];
  return [
    error(
      'bad_input',
      'ptx_targets',
      say`${targets} needs ${setting('reward_shape', 'expected_log_ratio')}, not ${shape}`,
      say`Use ${option('ptx_targets', 'text')}, or ${option('reward_shape', 'expected_log_ratio')}.`,
      { set: { ptx_targets: 'text' } },
    ),
  ];
}

/** A critic that begins from a model teaches in tokens of its own: a writer from scratch, or a smaller model that has the same. */
export function criticProblems(
  config: Pick<ProjectConfig, 'critic_from' | 'init_from' | 'reward_kind' | 'tokenization' | 'input_mode'>,
): Problem[] {
  if (criticModelPath(config) === null) return [];
  const { reward_kind, tokenization, input_mode } = config;
  const found: Problem[] = [];
  const about = (field: string, message: Sentence, hint: Sentence, fix?: Fix) =>
    found.push(error('bad_input', field, message, hint, fix));
  const begins = initialModelPath(config) !== null;
  if (reward_kind !== 'critic') {
    about(
      'reward_kind',
      say`${setting('critic_from')} needs ${setting('reward_kind', 'critic')}, not ${setting('reward_kind', reward_kind)}`,
      say`Use ${option('reward_kind', 'critic')}, or leave ${option('critic_from')} out.`,
      { set: { reward_kind: 'critic' } },
    );
  }
  const isPrepared = input_mode === 'binary';
  if (begins && tokenization === 'shared') {
    about(
      'tokenization',
      say`${setting('tokenization', 'shared')} is for a writer that starts from scratch, but ${setting('init_from')} is given`,
      say`Use ${option('tokenization', 'auto')}: the text is cut as that model does it.`,
      { set: { tokenization: 'auto' } },
    );
  } else if (!begins && tokenization !== 'pretrained' && (isPrepared || tokenization !== 'shared')) {
    const kind = isPrepared ? 'pretrained' : 'shared';
    about(
      'tokenization',
      say`${setting('critic_from')} needs a text in tokens of that model, not ${setting('tokenization', tokenization)}`,
      say`Use ${option('tokenization', kind)}, or leave ${option('critic_from')} out.`,
      { set: { tokenization: kind } },
    );
  }
  return found;
}

/** A preset for a model that can write, without one: its few small steps would teach a new network nothing. */
export function presetProblems(config: {
  readonly preset?: string;
  readonly init_from?: string | undefined;
}): Problem[] {
  if (!isForPretrained(config.preset) || initialModelPath(config) !== null) return [];
  const message = say`The preset ${config.preset ?? ''} is for a model that can write already, and there is none to begin from`;
  const hint = say`Give ${option('init_from')} and a model, or use another preset.`;
  return [error('bad_input', 'init_from', message, hint)];
}

/** Where a model may be named as the hub has it; a reward model is none of the hub's. */
const namedOnHub: ReadonlySet<string> = new Set([...namedModels, 'model_path', 'critic_path']);

/** A model to start from: a folder with weights in it, or the weights file. */
export function modelFileProblems(field: string, path: string, files: FileFacts): Problem[] {
  const name = field === 'reward_model_path' ? 'Reward model' : field.startsWith('critic_') ? 'Critic' : 'Model';
  if (files.kind(path) === 'missing') {
    // It is asked for on the hub, when it is wanted.
    if (namedOnHub.has(field) && parseHubName(path) !== null) return [];
    const hint = 'Check that the model checkpoint file exists and the path is correct';
    return [aboutFile('missing', error('file_not_found', field, `${name} file not found: ${path}`, hint))];
  }
  if (!files.readable(path)) {
    const hint = `Allow reading it: chmod -R u+rX "${path}"`;
    return [aboutFile('unreadable', error('file_not_readable', field, `${name} file cannot be read: ${path}`, hint))];
  }
  return [];
}

/** What keeps a folder from being looked into. */
export function folderProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'folder') return [];
  return [error('file_not_found', field, `Folder not found: ${path}`, 'Check that the path is correct.')];
}

/** A folder to write to: it may be missing, but must be possible to make. */
export function outputProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'file') {
    const message = say`${setting(field)} is a file, not a folder: ${path}`;
    return [error('exists', field, message, say`Give ${option(field)} another folder.`)];
  }
  if (files.writable(path)) return [];
  const hint = say`Give ${option(field)} a folder of your own, or allow writing there.`;
  return [error('file_not_writable', field, `Cannot write to ${path}: no permission`, hint)];
}
