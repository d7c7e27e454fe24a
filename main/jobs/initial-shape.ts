/**
 * What a model that training is to begin from is, told from its files without reading its weights: what it would need, and how
 * it cuts a text into tokens, is shown before anything is loaded.
 */
import { initialModelPath } from '../../shared/config/init.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { aboutField, UserError } from '../../shared/errors.js';
import { stampAt } from '../storage/disk/file-stamp.js';
import type { Tokenization } from '../storage/projects/models.js';
import { modelFacts, modelFolder } from './models.js';

export interface InitialShape {
  readonly model: GPTConfig;
  readonly tokenization: Tokenization;
}

/** By file and its stamp: a GGUF file has its whole vocabulary before its shape. */
const known = new Map<string, InitialShape>();

/**
 * Null where training starts from scratch, and for a PyTorch checkpoint, whose shape stands among its weights.
 * @throws UserError `checkpoint`, `file_damaged`, `file_not_found`, about the setting `init_from`
 */
export function initialShape(settings: { readonly init_from?: string | undefined }): InitialShape | null {
  const given = initialModelPath(settings);
  if (given === null) return null;
  const path = modelFolder(given, 'generator');
  try {
    const key = `${path} ${stampAt(path)}`;
    const shape = known.get(key) ?? readShape(path);
    if (shape !== null) known.set(key, shape);
    return shape;
  } catch (error) {
    throw aboutField('init_from', error);
  }
}

function readShape(path: string): InitialShape | null {
  const facts = modelFacts(path);
  if (facts?.model.mode !== 'reward') return facts;
  throw new UserError({
    code: 'checkpoint',
    message: `${path} is a reward model, not a base model`,
    hint: 'Choose a model that writes, such as checkpoints/base_model_v1.',
  });
}
