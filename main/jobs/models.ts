/**
 * The model that a person names: its own folder or a file in it, the output folder of the run that made it, a project,
 * whose newest model is meant, or a model of another program.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../shared/errors.js';
import type { DataConfig } from '../../shared/config/data.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { checkpointFitsModel, stateFile } from '../engine/checkpoint.js';
import { parameterShapes } from '../engine/model.js';
import { findForeignModel, type ForeignModelFiles, loadForeignModel } from '../storage/foreign-models.js';
import { loadModel, type Model } from '../storage/models.js';
import { findTextFiles } from '../storage/text-files.js';
import type { JobContext } from './types.js';

export type LoadedModel = Model & { readonly folder: string };

/** Where the model's files are; `path` itself when nothing more specific is found, for loadModel to judge. */
export function modelFolder(path: string, mode: GPTConfig['mode']): string {
  if (existsSync(join(path, stateFile))) return path;
  if (existsSync(join(path, 'model', stateFile))) return join(path, 'model');
  const checkpoints = join(path, 'checkpoints');
  const newest = existsSync(join(path, 'project.json')) ? newestModel(checkpoints, mode) : null;
  return newest ?? path;
}

function newestModel(checkpoints: string, mode: GPTConfig['mode']): string | null {
  if (!existsSync(checkpoints)) return null;
  const pattern = mode === 'generator' ? /^base_model_v(\d+)$/ : /^reward_model_v(\d+)$/;
  const versions = readdirSync(checkpoints)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
  const prefix = mode === 'generator' ? 'base_model_v' : 'reward_model_v';
  return versions[0] === undefined ? null : join(checkpoints, `${prefix}${versions[0]}`);
}

/** The files that make up a model, for telling whether it has changed. */
export function modelInputs(path: string, mode: GPTConfig['mode']): string[] {
  const folder = modelFolder(path, mode);
  const foreign = findForeignModel(folder);
  if (foreign) return [...foreign.files];
  const inner = basename(folder) === stateFile || folder.endsWith('.safetensors') ? dirname(folder) : folder;
  return [join(inner, 'manifest.json'), join(inner, stateFile)].filter((file) => existsSync(file));
}

export interface OpenModelOptions {
  /** Where to say what a person should know about a model of another program. */
  readonly context: Pick<JobContext, 'emit'>;
  /** The flag it came from, for messages. */
  readonly field?: string;
  /** The text it is to be used with: such a model may need its meta.pkl. */
  readonly data?: Partial<Pick<DataConfig, 'tokenization' | 'meta_path' | 'data_path' | 'train_bin'>>;
}

/** @throws UserError `file_not_found`, `file_damaged`, `checkpoint` when it is not a whole model of this mode */
export function openModel(path: string, mode: GPTConfig['mode'], options: OpenModelOptions): LoadedModel {
  const { field = 'model_path' } = options;
  const model = openAnyModel(path, options, mode);
  if (model.config.mode !== mode) {
    const isReward = model.config.mode === 'reward';
    throw new UserError({
      code: 'checkpoint',
      message: `${path} is a ${isReward ? 'reward model' : 'base model'}, not a ${isReward ? 'base model' : 'reward model'}`,
      hint: `Give --${field} a model made by ${isReward ? 'train or train_grpo' : 'train_reward_model'}.`,
      field,
    });
  }
  return model;
}

/**
 * A model, whatever it is for.
 * @param preferred which model of a project is meant
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint` when it is not a whole model
 */
export function openAnyModel(
  path: string,
  options: OpenModelOptions,
  preferred: GPTConfig['mode'] = 'generator',
): LoadedModel {
  const folder = modelFolder(path, preferred);
  const foreign = findForeignModel(folder);
  const model = foreign === null ? loadModel(folder) : openForeign(foreign, options);
  checkpointFitsModel(model.weights, parameterShapes(model.config));
  return model;
}

function openForeign(found: ForeignModelFiles, { context, data = {} }: OpenModelOptions): LoadedModel {
  const folders = [
    ...(data.train_bin === undefined ? [] : [dirname(data.train_bin)]),
    ...(data.data_path === undefined ? [] : [findTextFiles(data.data_path).folder]),
  ];
  const { notes, ...model } = loadForeignModel(found, {
    given: data.tokenization === 'bpe' ? undefined : data.meta_path,
    candidates: folders.map((folder) => join(folder, 'meta.pkl')),
  });
  for (const message of notes) context.emit({ event: 'notice', level: 'warning', code: 'foreign_model', message });
  return model;
}

/** @throws UserError `bad_input` when top_k asks for more tokens than there are */
export function checkTopK(topK: number | null, vocabSize: number): void {
  if (topK === null || topK <= vocabSize) return;
  throw new UserError({
    code: 'bad_input',
    message: `top_k (${topK}) is above the vocabulary size (${vocabSize})`,
    hint: `Use --top_k ${vocabSize} or less, or leave it out to choose among all tokens.`,
    field: 'top_k',
  });
}
