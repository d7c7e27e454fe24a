/**
 * Opens the model that a user names: its own folder or a file in it, the output folder of the run that made it, a project
 * (its newest model), a model of another program, or one of the hub, which is downloaded once and used offline afterwards.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parameterShapes } from '../../shared/architectures/index.js';
import type { DataConfig } from '../../shared/config/data.js';
import { writtenHubName } from '../../shared/config/hub-name.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { UserError } from '../../shared/errors.js';
import { bytes, localized } from '../../shared/messages/message.js';
import { artefactsAmong } from '../../shared/phases/index.js';
import { checkpointFitsModel, stateFile } from '../formats/checkpoint.js';
import { freeBytes } from '../storage/disk/disk.js';
import { createFetchMeter } from '../storage/hub/fetch-meter.js';
import { hubFolder, hubModelAt, hubModelFolder, hubNameOf } from '../storage/hub/hub-cache.js';
import { fetchHubModel, missingOf, sizeOfModel } from '../storage/hub/hub-fetch.js';
import { hubOffer } from '../storage/hub/hub-offer.js';
import {
  findForeignModel,
  foreignModelFacts,
  type ForeignModelFiles,
  loadForeignModel,
} from '../storage/projects/foreign-models.js';
import { loadModel, type Model, readModelFacts } from '../storage/projects/models.js';
import { findTextFiles } from '../storage/texts/list/list-texts.js';
import { interrupted, notice, type JobContext, type NoticeText } from './types.js';

export type LoadedModel = Model & {
  readonly folder: string;
  /** The meta.pkl with the characters of another program's model. */
  readonly metaPath?: string | null;
};

/** Locates the model's files; returns `path` itself if nothing more specific is found, for loadModel to judge. */
export function modelFolder(path: string, mode: GPTConfig['mode']): string {
  if (existsSync(join(path, stateFile))) return path;
  const name = hubNameOf(path);
  const fetched = name && hubModelAt(name);
  if (fetched) return fetched.path;
  if (existsSync(join(path, 'model', stateFile))) return join(path, 'model');
  const newest = existsSync(join(path, 'project.json')) ? newestModel(join(path, 'checkpoints'), mode) : null;
  return newest ?? path;
}

/** Returns a project's newest model, or null. */
export function newestModel(checkpoints: string, mode: GPTConfig['mode']): string | null {
  if (!existsSync(checkpoints)) return null;
  const kind = mode === 'generator' ? 'base_model' : 'reward_model';
  const newest = artefactsAmong(kind, readdirSync(checkpoints)).at(-1);
  return newest === undefined ? null : join(checkpoints, newest);
}

/** Lists a model's files, to detect whether it has changed. */
export function modelInputs(path: string, mode: GPTConfig['mode']): string[] {
  const folder = modelFolder(path, mode);
  const foreign = findForeignModel(folder);
  if (foreign) return [...foreign.files];
  const inner = basename(folder) === stateFile || folder.endsWith('.safetensors') ? dirname(folder) : folder;
  return [join(inner, 'manifest.json'), join(inner, stateFile)].filter((file) => existsSync(file));
}

interface OpenModelOptions {
  /** Receives warnings about a model of another program. */
  readonly context: Pick<JobContext, 'emit'>;
  /** The flag it came from, for messages. */
  readonly field?: string;
  /** The text to use it with: such a model may need its meta.pkl. */
  readonly data?: Partial<Pick<DataConfig, 'tokenization' | 'meta_path' | 'data_path' | 'train_bin'>>;
}

/** @throws UserError `file_not_found`, `file_damaged`, `checkpoint` if it is not a whole model of this mode */
export function openModel(path: string, mode: GPTConfig['mode'], options: OpenModelOptions): LoadedModel {
  const { field = 'model_path' } = options;
  const model = openAnyModel(path, options, mode);
  if (model.config.mode === mode) return model;
  const isReward = model.config.mode === 'reward';
  throw new UserError({
    code: 'checkpoint',
    message: localized('models.wrong_kind', { path, isReward }),
    hint: localized('models.give_other_kind', { field, isReward }),
    field,
  });
}

/**
 * Opens a model of any mode.
 * @param preferred selects the model of a project
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint` if it is not a whole model
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
 * Reads a model's shape from its files without reading weights; null for a PyTorch checkpoint, which stores both together.
 * @param folder as modelFolder returns it
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`
 */
export function modelFacts(folder: string): Omit<ReturnType<typeof readModelFacts>, 'provenance'> | null {
  const foreign = findForeignModel(folder);
  return foreign === null ? readModelFacts(folder) : foreignModelFacts(foreign);
}

/** Refuses weights that are not finite, which would spread to every output. @throws UserError `checkpoint` */
export function mustBeFinite({ weights }: Pick<Model, 'weights'>, path: string, field = 'model_path'): void {
  const [name] = Object.entries(weights).find(([, { data }]) => !data.every(Number.isFinite)) ?? [];
  if (name === undefined) return;
  throw new UserError({
    code: 'checkpoint',
    message: localized('models.not_finite', { path, name }),
    hint: localized('models.use_earlier_checkpoint'),
    field,
  });
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
  for (const note of notes) context.emit(notice('foreign_model', note, 'warning'));
  return model;
}

export type FetchContext = Pick<JobContext, 'emit' | 'now' | 'stop' | 'confirm'>;

/**
 * Downloads a model named as on the hub, unless it is already here; does nothing for a path or null.
 * @throws UserError what `hubOffer` and `fetchHubModel` throw; `stopped`
 */
export async function fetchNamedModel(path: string | null, context: FetchContext): Promise<void> {
  const name = path === null ? null : hubNameOf(path);
  if (name === null || hubModelAt(name)) return;
  const controller = new AbortController();
  const { signal } = controller;
  const watch = setInterval(() => context.stop.requested && controller.abort(), 100);
  const say = (message: NoticeText) => context.emit(notice('hub_model', message));
  try {
    const offer = await hubOffer(name, { signal, say });
    const [size, missing, free] = [sizeOfModel(offer), missingOf(name, offer), freeBytes(hubFolder())];
    const facts = {
      model: offer.name,
      missing: bytes(missing),
      here: missing < size ? bytes(size - missing) : null,
      licence: offer.licence,
      folder: hubModelFolder(name),
      free: free === null ? null : bytes(free),
    };
    say(localized('hub.offer', facts));
    if (context.confirm && !(await context.confirm(localized('hub.download_question')))) throw interrupted();
    const detail = localized('hub.downloading', { model: writtenHubName(name) });
    const onProgress = createFetchMeter(
      () => context.now(),
      (progress) => context.emit({ event: 'progress', phase: 'prepare', unit: 'bytes', detail, ...progress }),
    );
    await fetchHubModel(name, { signal, offer, say, onProgress });
    say(localized('hub.downloaded', { model: writtenHubName(name) }));
  } finally {
    clearInterval(watch);
  }
}
