/**
 * What a model that training is to begin from is, told from its files without reading its weights: what it would need, and how
 * it cuts a text into tokens, is shown before anything is loaded.
 */
import { localized } from '../../shared/messages/message.js';
import { initialModelPath } from '../../shared/config/init.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { aboutField, UserError } from '../../shared/errors.js';
import { untilChanged } from '../storage/disk/file-stamp.js';
import type { Tokenization } from '../storage/projects/models.js';
import { modelFacts, modelFolder } from './models.js';

export interface InitialShape {
  readonly model: GPTConfig;
  readonly tokenization: Tokenization;
}

/**
 * Null where training starts from scratch, and for a PyTorch checkpoint, whose shape stands among its weights.
 * @throws UserError `checkpoint`, `file_damaged`, `file_not_found`, about the setting `init_from`
 */
export function initialShape(settings: { readonly init_from?: string | undefined }): InitialShape | null {
  const given = initialModelPath(settings);
  if (given === null) return null;
  const path = modelFolder(given, 'generator');
  try {
    return shapeAt(path);
  } catch (error) {
    throw aboutField('init_from', error);
  }
}

/** A GGUF file has its whole vocabulary before its shape. */
const shapeAt = untilChanged((path): InitialShape | null => {
  const facts = modelFacts(path);
  if (facts?.model.mode !== 'reward') return facts;
  throw new UserError({
    code: 'checkpoint',
    message: localized('init.is_reward_model', { path }),
    hint: localized('init.choose_base_model'),
  });
});
