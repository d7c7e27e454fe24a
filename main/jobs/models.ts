/**
 * The model that a person names: its own folder or a file in it, the output folder of the run that made it, a project,
 * whose newest model is meant, or a model of another program.
 */
import { localized } from '../../shared/messages/message.js';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../shared/errors.js';
import type { DataConfig } from '../../shared/config/data.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { artefactsAmong } from '../../shared/phases/index.js';
import { checkpointFitsModel, stateFile } from '../formats/checkpoint.js';
import { parameterShapes } from '../../shared/architectures/index.js';
import {
  findForeignModel,
  foreignModelFacts,
  type ForeignModelFiles,
  loadForeignModel,
} from '../storage/projects/foreign-models.js';
import { loadModel, type Model, readModelFacts } from '../storage/projects/models.js';
import { findTextFiles } from '../storage/texts/list/list-texts.js';
import { hubModelNamed } from './hub-models.js';
import type { JobContext } from './types.js';

export type LoadedModel = Model & {
  readonly folder: string;
  /** The meta.pkl that the characters of another program's model were found in. */
  readonly metaPath?: string | null;
};

type ModelFacts = Omit<ReturnType<typeof readModelFacts>, 'provenance'>;

/** Where the model's files are; `path` itself when nothing more specific is found, for loadModel to judge. */
export function modelFolder(path: string, mode: GPTConfig['mode']): string {
  if (existsSync(join(path, stateFile))) return path;
  const fetched = hubModelNamed(path);
  if (fetched) return fetched.path;
  if (existsSync(join(path, 'model', stateFile))) return join(path, 'model');
  const checkpoints = join(path, 'checkpoints');
  const newest = existsSync(join(path, 'project.json')) ? newestModel(checkpoints, mode) : null;
  return newest ?? path;
}

/** The newest of a project's; null while there is none. */
export function newestModel(checkpoints: string, mode: GPTConfig['mode']): string | null {
  if (!existsSync(checkpoints)) return null;
  const kind = mode === 'generator' ? 'base_model' : 'reward_model';
  const newest = artefactsAmong(kind, readdirSync(checkpoints)).at(-1);
  return newest === undefined ? null : join(checkpoints, newest);
}

/** The files that make up a model, for telling whether it has changed. */
export function modelInputs(path: string, mode: GPTConfig['mode']): string[] {
  const folder = modelFolder(path, mode);
  const foreign = findForeignModel(folder);
  if (foreign) return [...foreign.files];
  const inner = basename(folder) === stateFile || folder.endsWith('.safetensors') ? dirname(folder) : folder;
  return [join(inner, 'manifest.json'), join(inner, stateFile)].filter((file) => existsSync(file));
}

interface OpenModelOptions {
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
      message: localized('models.wrong_kind', { path, isReward }),
      hint: localized('models.give_other_kind', { field, isReward }),
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

/**
 * What a model is, told from its files without reading its weights; null for a PyTorch checkpoint, whose shape stands among
 * these.
 * @param folder as modelFolder gives it
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`
 */
export function modelFacts(folder: string): ModelFacts | null {
  const foreign = findForeignModel(folder);
  return foreign === null ? readModelFacts(folder) : foreignModelFacts(foreign);
}

/** Numbers that are not finite pass through everything and come out as nothing. @throws UserError `checkpoint` */
export function mustBeFinite({ weights }: Pick<Model, 'weights'>, path: string, field = 'model_path'): void {
  for (const [name, { data }] of Object.entries(weights)) {
    if (data.every(Number.isFinite)) continue;
    throw new UserError({
      code: 'checkpoint',
      message: localized('models.not_finite', { path, name }),
      hint: localized('models.use_earlier_checkpoint'),
      field,
    });
  }
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
