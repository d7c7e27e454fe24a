/** Stores a finished model: weights, shape, tokenization and provenance, complete enough to be copied elsewhere. */
import { localized } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { type GPTConfig, modelConfigSchema } from '../../../shared/config/index.js';
import { decodeState, encodeCheckpoint, stateFile } from '../../formats/checkpoint.js';
import type { Json, NamedArrays } from '../../engine/types.js';
import { type WriteFolderOptions, recover, writeFolderAtomic } from '../disk/atomic.js';
import { TOKENIZER, tokenizerFilesAt } from '../datasets/tokenizer-files.js';
import { readCheckpointFolder } from './checkpoint-files.js';
import { withFile, type Bytes } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';

/** Describes the tokenization; `chars` is the alphabet in token order, `pretrained` has a file of its own. */
const tokenizationSchema = z.object({
  method: z.enum(['bpe', 'char', 'pretrained']),
  vocab_size: z.int().min(1),
  chars: z.array(z.string()).optional(),
});
export type Tokenization = z.infer<typeof tokenizationSchema> & {
  /** Where the tokenizer of `pretrained` is now; not a part of what is saved. */
  readonly tokenizerPath?: string;
};

export interface Model {
  readonly weights: NamedArrays;
  readonly config: GPTConfig;
  readonly tokenization: Tokenization;
  /** Facts of its training: from which model, which data, how many steps, which losses. */
  readonly provenance: Readonly<Record<string, Json>>;
}

/** Bytes of weights that are too many to lie in memory beside what a session has of them. */
const LARGE = 2 ** 25;

const jsonObject = z.record(z.string(), z.json());
const modelStateSchema = z.object({
  config: modelConfigSchema,
  tokenization: tokenizationSchema,
  provenance: jsonObject,
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
    config: JSON.parse(JSON.stringify(config)) as Json, // without what is left out
    tokenization: chars === undefined ? tokenization : { ...tokenization, chars },
    provenance,
  };
  const tokenizer = tokenizerPath === undefined ? {} : tokenizerFilesAt(tokenizerPath);
  writeFolderAtomic(folder, { ...files, ...tokenizer, ...encodeCheckpoint({ weights, state }) }, options);
}

/** @param model folder or a file in it. @throws UserError `file_not_found`, `file_damaged`, `file_not_readable`, `checkpoint` */
export function loadModel(
  model: string,
  ops: FileOperations = nodeFileOperations,
  onDemandFrom = LARGE,
): Model & { readonly folder: string } {
  const folder = modelFolder(model, ops);
  const { weights, state } = readCheckpointFolder(folder, ops, onDemandFrom);
  return { weights, ...factsIn(state, folder), folder };
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

/** The same without its weights: what kind of model it is. @throws as loadModel */
export function readModelFacts(
  model: string,
  ops: FileOperations = nodeFileOperations,
): { readonly model: GPTConfig } & Pick<Model, 'tokenization' | 'provenance'> {
  const folder = modelFolder(model, ops);
  const file = path.join(folder, stateFile);
  const { config, ...rest } = factsIn(
    withFile(file, (source) => decodeState(source)),
    folder,
  );
  return { model: config, ...rest };
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
    if (ops.kind(path.join(folder, stateFile)) === 'none') throw notAModel(model, `it has no ${stateFile}`);
    return folder;
  });
}

function notAModel(model: string, why: string): UserError {
  return new UserError({
    code: 'checkpoint',
    message: localized('projects.finished_model', { model, why }),
    hint: localized('projects.give_folder_model_such_checkpoints'),
  });
}
