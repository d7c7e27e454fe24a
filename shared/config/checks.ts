/**
 * Checks settings: each value on its own, and combinations. Pure functions that return every problem at once; the English of
 * the messages is that of specification 4.2 where it gives one.
 */
import { z } from 'zod';
import type { FaultCode } from '../errors.js';
import type { ProjectConfig } from './index.js';
import { localized, type Message } from '../messages/message.js';
import { nearest } from '../base/nearest.js';
import { shellWord } from './command-line.js';
import { learnsTextFromCritic } from './grpo.js';
import { parseHubName } from './hub-name.js';
import { initialModelPath, namedModels } from './init.js';
import { criticModelPath } from './scoring-models.js';
import { followsVoice, multipleOfWidth, nearestWidth } from './model.js';
import { isForPretrained } from './presets.js';
import { acceptedValues, describeField, typedValue, type Field, type Shape } from './fields.js';
import type { Fix } from './fixes.js';

/** What is wrong with a file or folder that a setting names. */
export const fileTroubles = ['required', 'ignored', 'missing', 'unreadable', 'folder'] as const;
type FileTrouble = (typeof fileTroubles)[number];

export interface Problem {
  /** Only an error keeps the command from running. */
  readonly severity: 'error' | 'warning';
  readonly code: FaultCode;
  readonly field: string | null;
  /** For problems about a file, which the window words differently. */
  readonly trouble?: FileTrouble;
  readonly message: Message;
  readonly hint: Message;
  /** A change of settings that fixes it, if only one can be meant. */
  readonly fix?: Fix;
}

/** The disk as the checks see it; paths are as the user gave them. */
export interface FileFacts {
  kind(path: string): 'file' | 'folder' | 'missing';
  readable(path: string): boolean;
  /** False when the nearest folder that exists may not be written to. */
  writable(path: string): boolean;
  /** The files that a pattern (`texts/*.txt`) names, sorted. */
  matching(pattern: string): readonly string[];
  /** The texts in a folder and its subfolders, as `data_path` reads them. */
  textsIn(folder: string): readonly string[];
}

const problem =
  (severity: Problem['severity']) =>
  (code: FaultCode, field: string | null, message: Message, hint: Message, fix?: Fix): Problem => ({
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

/** Parses values against a shape; every value out of range is one problem. */
export function checkValues(shape: Shape, values: Readonly<Record<string, unknown>>): Checked<Record<string, unknown>> {
  const result = z.object(shape).safeParse(values);
  if (result.success) return { ok: true, value: result.data };
  const keys = [...new Set(result.error.issues.map((issue) => String(issue.path[0] ?? '')))];
  return { ok: false, problems: keys.map((key) => valueProblem(key, shape, values[key])) };
}

function valueProblem(key: string, shape: Shape, value: unknown): Problem {
  const schema = shape[key];
  if (!schema) {
    return error('bad_input', key, localized('config.unknown_setting', { key }), localized('config.leave_out'));
  }
  const field = describeField(key, schema);
  const explained = { key, label: localized(field.label), help: localized(field.help) };
  if (value === undefined) {
    return error('bad_input', key, localized('config.required', { key }), localized('config.give', explained));
  }
  const initial = typeof field.default === 'number' ? field.default : typedValue(field.default);
  return error(
    'bad_input',
    key,
    localized('config.out_of_range', { key, values: acceptedValues(field), value: JSON.stringify(typedValue(value)) }),
    field.default === undefined
      ? localized('config.explained', explained)
      : localized('config.explained_default', { ...explained, initial }),
    valueFix(field, value),
  );
}

/**
 * The likely intention: the nearest name, the largest value, a whole number. A value below the range says nothing about it,
 * and the smallest is seldom of use, so that one goes back to the default.
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

/** Checks that the heads divide the width. */
export function modelProblems(config: Parameters<typeof nearestWidth>[0]): Problem[] {
  const { n_embd, n_head } = config;
  const divisor = multipleOfWidth(config);
  if (n_embd % divisor === 0) return [];
  const multiple = nearestWidth(config);
  const message = localized('config.width', { n_embd, n_head, divisor: divisor === n_head ? 'heads' : 'twice' });
  const hint = localized('config.nearest_width', { multiple: String(multiple) });
  return [error('bad_input', 'n_embd', message, hint, { set: { n_embd: multiple } })];
}

/** No training of a transformer by Adam has survived one as large as this. */
const LARGEST_RATE = 0.1;

/** Warns of a learning rate that diverges, and of one that rises. */
export function scheduleProblems(config: {
  readonly learning_rate: number;
  readonly min_lr: number;
  readonly grpo_learning_rate?: number;
}): Problem[] {
  const { learning_rate, min_lr } = config;
  const wild = (['learning_rate', 'grpo_learning_rate'] as const).flatMap((key) => {
    const rate = config[key] ?? 0;
    if (rate <= LARGEST_RATE) return [];
    const message = localized('config.rate_diverges', { key, rate });
    return [warning('bad_input', key, message, localized('config.usual_rate'), { unset: [key] })];
  });
  if (min_lr <= learning_rate) return wild;
  const message = localized('config.rate_rises', { min_lr, learning_rate });
  const fix = { set: { min_lr: learning_rate / 10 } };
  return [...wild, warning('bad_input', 'min_lr', message, localized('config.usual_min_lr'), fix)];
}

/** Rewards for each token come from a critic. */
export function rewardShapeProblems(config: Pick<ProjectConfig, 'reward_kind' | 'reward_shape'>): Problem[] {
  const { reward_kind, reward_shape } = config;
  if (reward_shape === 'fraction' || reward_kind === 'critic') return [];
  const [shape, kind] = [`reward_shape=${reward_shape}`, `reward_kind=${reward_kind}`];
  const message = localized('config.needs', { what: shape, wanted: 'reward_kind=critic', found: kind });
  const hint = localized('config.use_either', { one: 'reward_shape=fraction', another: 'reward_kind=critic' });
  return [error('bad_input', 'reward_shape', message, hint, { set: { reward_shape: 'fraction' } })];
}

/** A voice is followed from a model that could write before: its reading of the text is what is rewarded. */
export function voiceProblems({
  preset,
  ...config
}: Partial<Pick<ProjectConfig, 'reward_kind' | 'init_from'>> & { readonly preset?: string }): Problem[] {
  // A preset that needs a model is a problem of its own.
  if (!followsVoice(config.reward_kind) || initialModelPath(config) !== null || isForPretrained(preset)) return [];
  const hint = localized('config.use_either', { one: 'reward_kind=critic', another: 'reward_kind=head' });
  const fix = { set: { reward_kind: 'critic' } };
  return [error('bad_input', 'reward_kind', localized('config.voice_needs_model'), hint, fix)];
}

/** Text can be learned from the critic only if its whole expectation is the reward too. */
export function mixedTextProblems(config: Pick<ProjectConfig, 'reward_shape' | 'ptx_coef' | 'ptx_targets'>): Problem[] {
  const { reward_shape, ptx_targets } = config;
  const wanted = 'reward_shape=expected_log_ratio';
  if (!learnsTextFromCritic(config) || reward_shape === 'expected_log_ratio') return [];
  const [what, found] = [`ptx_targets=${ptx_targets}`, `reward_shape=${reward_shape}`];
  const message = localized('config.needs', { what, wanted, found });
  const hint = localized('config.use_either', { one: 'ptx_targets=text', another: wanted });
  return [error('bad_input', 'ptx_targets', message, hint, { set: { ptx_targets: 'text' } })];
}

/** A critic that starts from a model teaches in that model's tokens. */
export function criticProblems(
  config: Pick<ProjectConfig, 'critic_from' | 'init_from' | 'reward_kind' | 'tokenization' | 'input_mode'>,
): Problem[] {
  if (criticModelPath(config) === null) return [];
  const { reward_kind, tokenization, input_mode } = config;
  const found: Problem[] = [];
  const withoutCritic = (one: string) => localized('config.use_or_leave', { one, another: 'critic_from' });
  if (reward_kind !== 'critic') {
    const wanted = 'reward_kind=critic';
    const message = localized('config.needs', { what: 'critic_from', wanted, found: `reward_kind=${reward_kind}` });
    found.push(error('bad_input', 'reward_kind', message, withoutCritic(wanted), { set: { reward_kind: 'critic' } }));
  }
  const isPrepared = input_mode === 'binary';
  const isFromScratch = initialModelPath(config) === null;
  const about = (message: Message, hint: Message, kind: ProjectConfig['tokenization']) =>
    found.push(error('bad_input', 'tokenization', message, hint, { set: { tokenization: kind } }));
  if (!isFromScratch && tokenization === 'shared') {
    about(localized('config.shared_from_scratch'), localized('config.use_own_tokens'), 'auto');
  } else if (isFromScratch && tokenization !== 'pretrained' && (isPrepared || tokenization !== 'shared')) {
    const kind = isPrepared ? 'pretrained' : 'shared';
    about(localized('config.critic_tokens', { tokenization }), withoutCritic(`tokenization=${kind}`), kind);
  }
  return found;
}

/** A preset for a trained model needs one: its few small steps would teach a new network nothing. */
export function presetProblems(config: {
  readonly preset?: string;
  readonly init_from?: string | undefined;
}): Problem[] {
  if (!isForPretrained(config.preset) || initialModelPath(config) !== null) return [];
  const message = localized('config.preset_needs_model', { preset: config.preset });
  return [error('bad_input', 'init_from', message, localized('config.give_model'))];
}

/** Settings that take a model by its name on the hub; a reward model has none. */
const namedOnHub: ReadonlySet<string> = new Set([...namedModels, 'model_path', 'critic_path']);

/** Checks a model to start from: a folder with weights, or the weights file. */
export function modelFileProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'missing') {
    // It is looked up on the hub when it is needed.
    return namedOnHub.has(field) && parseHubName(path) !== null ? [] : [missingFile(field, path)];
  }
  return files.readable(path) ? [] : [unreadableFile(field, path, `chmod -R u+rX ${shellWord(path)}`)];
}

/** @param fix names a similar file that exists */
export function missingFile(field: string, path: string, fix?: Fix): Problem {
  const message = localized('config.file_missing', { file: fileOf(field), path });
  const found = fix?.set?.[field];
  const hint =
    found === undefined
      ? localized('config.check_path', { kind: kindOfFile(field) })
      : localized('config.check_path_found', { kind: kindOfFile(field), found });
  return aboutFile('missing', error('file_not_found', field, message, hint, fix));
}

export function unreadableFile(field: string, path: string, command: string): Problem {
  const message = localized('config.file_unreadable', { file: fileOf(field), path });
  return aboutFile(
    'unreadable',
    error('file_not_readable', field, message, localized('config.allow_reading', { command })),
  );
}

/** A field's file as messages name it: the data file, the tokenizer file, … */
export const fileOf = (field: string): Message => localized('config.file', { field });
export const kindOfFile = (field: string): Message => localized('config.file_kind', { field });

export function folderProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'folder') return [];
  const message = localized('config.folder_missing', { path });
  return [error('file_not_found', field, message, localized('fileFaults.check_path_correct'))];
}

/** Checks a folder to write to: it may be missing, but must be possible to make. */
export function outputProblems(field: string, path: string, files: FileFacts): Problem[] {
  if (files.kind(path) === 'file') {
    const message = localized('config.output_is_file', { field, path });
    return [error('exists', field, message, localized('config.give_another_folder', { field }))];
  }
  if (files.writable(path)) return [];
  const message = localized('config.output_denied', { path });
  return [error('file_not_writable', field, message, localized('config.give_own_folder', { field }))];
}
