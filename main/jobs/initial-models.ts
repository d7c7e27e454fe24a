/**
 * The models that training starts from: the writer (--init_from) and the critic (--critic_from), as the project's settings
 * want them. Shapes are read without weights, so that costs and tokens are known before anything is loaded.
 */
import { initialModelPath } from '../../shared/config/init.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import type { TuneConfig } from '../../shared/config/tune.js';
import { aboutField, UserError } from '../../shared/errors.js';
import { localized } from '../../shared/messages/message.js';
import { withTokens } from '../engine/model/named-arrays.js';
import { beginFrom } from '../engine/train/begin-from.js';
import type { NamedArrays } from '../engine/types.js';
import { placesIn } from '../storage/datasets/shared-tokens.js';
import { untilChanged } from '../storage/disk/file-stamp.js';
import type { Tokenization } from '../storage/projects/models.js';
import { fetchNamedModel, modelFacts, modelFolder, mustBeFinite, openModel, type FetchContext } from './models.js';

interface Sources {
  readonly init_from?: string | undefined;
  readonly critic_from?: string | undefined;
}
type Settings = Sources &
  Pick<GPTConfig, 'block_size' | 'reward_head_hidden_dim'> &
  Partial<TuneConfig> & { readonly meta_path?: string | undefined };

interface Beginning {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

/**
 * Opens the writer's model, with the tokenization that the text must have too; null to train from scratch.
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`; `bad_input` for a context that is too long
 */
export async function openInitialModel(
  settings: Settings & Pick<GPTConfig, 'dropout'>,
  context: FetchContext,
): Promise<(Beginning & { readonly tokenization: Tokenization }) | null> {
  const path = initialModelPath(settings);
  if (path === null) return null;
  await fetchNamedModel(path, context);
  const data = { meta_path: settings.meta_path };
  const { config, weights, tokenization } = openModel(path, 'generator', { context, field: 'init_from', data });
  mustBeFinite({ weights }, path, 'init_from');
  return { ...beginFrom({ model: config, weights }, settings), tokenization };
}

export interface InitialShape {
  readonly model: GPTConfig;
  readonly tokenization: Tokenization;
}

/**
 * Reads the writer's shape from its files; null to train from scratch, and for a PyTorch checkpoint, whose shape is stored
 * with its weights.
 * @throws UserError `checkpoint`, `file_damaged`, `file_not_found`, about the setting `init_from`
 */
export function initialShape(settings: Pick<Sources, 'init_from'>): InitialShape | null {
  const path = initialModelPath(settings);
  return path === null ? null : about('init_from', () => shapeAt(modelFolder(path, 'generator')));
}

/** Cached: a GGUF file stores its whole vocabulary before its shape. */
const shapeAt = untilChanged((path): InitialShape | null => {
  const facts = modelFacts(path);
  if (facts?.model.mode !== 'reward') return facts;
  throw new UserError({
    code: 'checkpoint',
    message: localized('init.is_reward_model', { path }),
    hint: localized('init.choose_base_model'),
  });
});

/** The critic reads the writer's text at the writer's context length; adapters if the writer has them. */
const forCritic = (settings: Settings) => ({ ...settings, dropout: 0 });

/** Locates the critic's model, which has been downloaded; null if it starts from the writer. */
export function criticModelFolder(settings: Pick<Sources, 'critic_from'>): string | null {
  const path = criticModelPath(settings);
  return path === null ? null : modelFolder(path, 'generator');
}

/**
 * Returns the critic's network from the files of its model; null if it starts from the writer.
 * @throws UserError `checkpoint`, `file_damaged`, `file_not_found`, about the setting `critic_from`; `tokenization_mismatch`
 * if the writer starts from a model with other tokens
 */
export function criticNetwork(settings: Settings, vocabSize: number): GPTConfig | null {
  const path = criticModelPath(settings);
  if (path === null) return null;
  const writer = initialShape(settings);
  return about('critic_from', () => {
    const critic = initialShape({ init_from: path });
    if (critic === null) {
      throw new UserError({
        code: 'checkpoint',
        message: localized('init.unknown_shape', { init_from: path }),
        hint: localized('init.supported_models'),
      });
    }
    if (writer) tokenPlaces(settings, critic.tokenization, writer.tokenization);
    const { model } = beginFrom({ model: critic.model, weights: {} }, forCritic(settings));
    return { ...model, vocab_size: vocabSize };
  });
}

/**
 * Opens the critic's model with the rows of the writer's tokens; null if it starts from the writer.
 * @param writer its tokenization, and the rows of its embedding
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`; `tokenization_mismatch` if the model lacks a token
 */
export async function openInitialCritic(
  settings: Settings,
  writer: { readonly tokenization: Tokenization; readonly rows: number },
  context: FetchContext,
): Promise<Beginning | null> {
  const path = criticModelPath(settings);
  if (path === null) return null;
  await fetchNamedModel(path, context);
  return about('critic_from', () => {
    const { config, weights, tokenization } = openModel(path, 'generator', { context, field: 'critic_from' });
    mustBeFinite({ weights }, path, 'critic_from');
    const places = [...tokenPlaces(settings, tokenization, writer.tokenization)];
    // A model may have room for more tokens than its tokenizer has; no text uses these rows.
    while (places.length < writer.rows) places.push(Math.min(places.length, config.vocab_size - 1));
    return withTokens(beginFrom({ model: config, weights }, forCritic(settings)), places);
  });
}

/**
 * Returns the critic's id of each of the writer's tokens: a writer from scratch has a part of the critic's tokens, a model
 * all tokens of a larger one of its family.
 * @throws UserError `tokenization_mismatch` if the critic lacks one
 */
function tokenPlaces(settings: Sources, critic: Tokenization, writer: Tokenization): readonly number[] {
  if (critic.method !== writer.method) throw otherTokens(settings);
  const [whole, part] = [critic.tokenizerPath, writer.tokenizerPath];
  if (writer.method === 'pretrained' && whole !== undefined && part !== undefined) {
    const { places, missing } = placesIn(whole, part);
    if (missing !== undefined) throw otherTokens(settings, missing);
    return places;
  }
  const unknown = writer.chars?.find((character, id) => critic.chars?.[id] !== character);
  if (unknown !== undefined || writer.vocab_size !== critic.vocab_size) throw otherTokens(settings, unknown);
  return Array.from({ length: writer.vocab_size }, (_, id) => id);
}

function otherTokens(settings: Sources, token?: string): UserError {
  const example = token === undefined ? null : JSON.stringify(token);
  return new UserError({
    code: 'tokenization_mismatch',
    message: localized('critic.other_tokens', { model: settings.critic_from, example }),
    hint: initialModelPath(settings) === null ? localized('critic.use_shared') : localized('critic.same_family'),
    field: 'critic_from',
  });
}

function about<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw aboutField(field, error);
  }
}
