/** Stores a finished model: weights, shape, tokenization and provenance, complete enough to be copied elsewhere. */
import * as path from 'node:path';
import { z } from 'zod';
import { type GPTConfig, modelConfigSchema } from '../../../shared/config/index.js';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { Json, NamedArrays } from '../../engine/types.js';
import { decodeState, encodeCheckpoint, stateFile } from '../../formats/checkpoint.js';
import { TOKENIZER, tokenizerFilesAt } from '../datasets/tokenizer-files.js';
import { recover, writeFolderAtomic, type WriteFolderOptions } from '../disk/atomic.js';
import { type Bytes, withFile } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { readCheckpointFolder } from './checkpoint-store.js';

/** Describes the tokenization; `chars` is the alphabet in token order, `pretrained` has a file of its own. */
const tokenizationSchema = z.object({
  method: z.enum(['bpe', 'char', 'pretrained']),
  vocab_size: z.int().min(1),
  chars: z.array(z.string()).optional(),
});
export type Tokenization = z.infer<typeof tokenizationSchema> & {
  /** Current place of the tokenizer of `pretrained`; not saved. */
  readonly tokenizerPath?: string;
};

export interface Model {
  readonly weights: NamedArrays;
  readonly config: GPTConfig;
  readonly tokenization: Tokenization;
  readonly provenance: Readonly<Record<string, Json>>;
}

/** Bytes of weights that are too many to lie in memory in addition to a session's own. */
const LARGE = 2 ** 25;

const modelStateSchema = z.object({
  config: modelConfigSchema,
  tokenization: tokenizationSchema,
  provenance: z.record(z.string(), z.json()),
});

/** Writes the model's folder atomically, with additional `files`. @throws UserError `exists`, `disk_full`, `file_not_writable` */
export function saveModel(
  folder: string,
  model: Model,
  files: Readonly<Record<string, Bytes>> = {},
  options: WriteFolderOptions = {},
): void {
  const { weights, config, provenance } = model;
  const { chars, tokenizerPath, ...tokenization } = model.tokenization;
  const state = {
    config: JSON.parse(JSON.stringify(config)) as Json, // without undefined values
    tokenization: chars === undefined ? tokenization : { ...tokenization, chars },
    provenance,
  };
  const tokenizer = tokenizerPath === undefined ? {} : tokenizerFilesAt(tokenizerPath);
  writeFolderAtomic(folder, { ...files, ...tokenizer, ...encodeCheckpoint({ weights, state }) }, options);
}

/** @param model folder or a file in it. @throws UserError `file_not_found`, `file_damaged`, `file_not_readable`, `checkpoint` */
export function loadModel(
  model: string,
  ops = nodeFileOperations,
  onDemandFrom = LARGE,
): Model & { readonly folder: string } {
  const folder = modelFolder(model, ops);
  const { weights, state } = readCheckpointFolder(folder, ops, onDemandFrom);
  return { weights, ...factsIn(state, folder), folder };
}

/** Reads a model's facts without its weights. @throws as loadModel */
export function readModelFacts(
  model: string,
  ops = nodeFileOperations,
): { readonly model: GPTConfig } & Pick<Model, 'tokenization' | 'provenance'> {
  const folder = modelFolder(model, ops);
  const state = withFile(path.join(folder, stateFile), (source) => decodeState(source));
  const { config, ...rest } = factsIn(state, folder);
  return { model: config, ...rest };
}

function factsIn(state: unknown, folder: string): Omit<Model, 'weights'> {
  const parsed = modelStateSchema.safeParse(state);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw notAModel(folder, `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { tokenization, ...rest } = parsed.data;
  const isPretrained = tokenization.method === 'pretrained';
  const own = isPretrained ? { ...tokenization, tokenizerPath: path.join(folder, TOKENIZER) } : tokenization;
  return { ...rest, tokenization: own };
}

function modelFolder(model: string, ops: FileOperations): string {
  return onFile(model, 'read', () => {
    if (ops.kind(model) === 'none') recover(path.dirname(model), path.basename(model), ops);
    const kind = ops.kind(model);
    if (kind === 'none') {
      throw new UserError({
        code: 'file_not_found',
        message: localized('projects.model_file_found', { model }),
        hint: localized('projects.check_model_checkpoint_file_exists'),
      });
    }
    const folder = kind === 'folder' ? model : path.dirname(model);
    if (ops.kind(path.join(folder, stateFile)) !== 'none') return folder;
    throw notAModel(model, localized('projects.model_lacks_file', { file: stateFile }));
  });
}

function notAModel(model: string, why: string | Message): UserError {
  return new UserError({
    code: 'checkpoint',
    message: localized('projects.finished_model', { model, why }),
    hint: localized('projects.give_folder_model_such_checkpoints'),
  });
}
