/** The model that the critic begins from (--critic_from): its network as the project takes it over, and its weights for the text's tokens. */
import { localized } from '../../shared/messages/message.js';
import type { ProjectConfig } from '../../shared/config/index.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import type { TuneConfig } from '../../shared/config/tune.js';
import { aboutField, UserError } from '../../shared/errors.js';
import { withTokens } from '../engine/model/vocabulary-rows.js';
import { beginFrom } from '../engine/train/begin-from.js';
import type { NamedArrays } from '../engine/types.js';
import type { Tokenization } from '../storage/projects/models.js';
import { criticPlaces, mustShareTokens } from './critic-tokens.js';
import { fetchNamedModel } from './hub-models.js';
import { initialShape } from './initial-shape.js';
import { modelFolder, mustBeFinite, openModel } from './models.js';
import type { JobContext } from './types.js';

type Settings = Pick<ProjectConfig, 'block_size' | 'reward_head_hidden_dim' | 'critic_from' | 'init_from'> &
  Partial<TuneConfig>;

/** It reads what the writer writes, and as far; held-out text in the same windows. Where the writer learns by adapters, it does too. */
const wanted = (settings: Settings) => ({ ...settings, dropout: 0 });

/** Where the files of the model are that the critic begins from; null where there is none. One of the hub has been fetched. */
export function criticModelFolder(settings: Pick<Settings, 'critic_from'>): string | null {
  const path = criticModelPath(settings);
  return path === null ? null : modelFolder(path, 'generator');
}

/**
 * The critic's network, told from the files of the model alone; null where there is none to begin from.
 * @throws UserError `checkpoint`, `file_damaged`, `file_not_found`, about the setting `critic_from`; `tokenization_mismatch` where
 * the writer begins from a model that has other tokens
 */
export function criticNetwork(settings: Settings, vocabSize: number): GPTConfig | null {
  const init_from = criticModelPath(settings);
  if (init_from === null) return null;
  const found = aboutCritic(() => initialShape({ init_from }));
  if (found === null) {
    throw new UserError({
      code: 'checkpoint',
      message: localized('init.unknown_shape', { init_from }),
      hint: localized('init.supported_models'),
      field: 'critic_from',
    });
  }
  const writer = initialShape(settings);
  if (writer) mustShareTokens(settings, found.tokenization, writer.tokenization);
  const { model } = aboutCritic(() => beginFrom({ model: found.model, weights: {} }, wanted(settings)));
  return { ...model, vocab_size: vocabSize };
}

/**
 * Null where the critic starts from scratch.
 * @param writer how its text was cut, and the rows of its embedding
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`; `tokenization_mismatch` where the tokens are not the model's
 */
export async function openInitialCritic(
  settings: Settings,
  writer: { readonly tokenization: Tokenization; readonly rows: number },
  context: Pick<JobContext, 'emit' | 'now' | 'stop' | 'confirm'>,
): Promise<{ readonly model: GPTConfig; readonly weights: NamedArrays } | null> {
  const path = criticModelPath(settings);
  if (path === null) return null;
  await fetchNamedModel(path, context);
  return aboutCritic(() => {
    const { config, weights, tokenization } = openModel(path, 'generator', { context, field: 'critic_from' });
    mustBeFinite({ weights }, path, 'critic_from');
    const begun = beginFrom({ model: config, weights }, wanted(settings));
    const sizes = { rows: writer.rows, total: config.vocab_size };
    return withTokens(begun, criticPlaces(settings, tokenization, writer.tokenization, sizes));
  });
}

function aboutCritic<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw aboutField('critic_from', error);
  }
}
