/** The model that base training begins from (--init_from), as the run's settings want it. */
import { initialModelPath } from '../../shared/config/init.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { TuneConfig } from '../../shared/config/tune.js';
import { beginFrom } from '../engine/train/begin-from.js';
import type { NamedArrays } from '../engine/types.js';
import type { Tokenization } from '../storage/projects/models.js';
import { fetchNamedModel } from './hub-models.js';
import { modelInputs, mustBeFinite, openModel } from './models.js';
import type { JobContext } from './types.js';

interface InitialModel {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  /** How its text was tokenized; the text to train on must be too. */
  readonly tokenization: Tokenization;
}

type Settings = Pick<GPTConfig, 'block_size' | 'dropout' | 'reward_head_hidden_dim'> &
  Partial<TuneConfig> & {
    readonly init_from?: string | undefined;
    readonly meta_path?: string | undefined;
  };

/**
 * Null where training starts from scratch. One that the hub has is fetched first.
 * @throws UserError `file_not_found`, `file_damaged`, `checkpoint`; `bad_input` for a context that is too long
 */
export async function openInitialModel(
  settings: Settings,
  context: Pick<JobContext, 'emit' | 'now' | 'stop' | 'confirm'>,
): Promise<InitialModel | null> {
  const path = initialModelPath(settings);
  if (path === null) return null;
  await fetchNamedModel(path, context);
  const data = { meta_path: settings.meta_path };
  const { config, weights, tokenization } = openModel(path, 'generator', { context, field: 'init_from', data });
  mustBeFinite({ weights }, path, 'init_from');
  return { ...beginFrom({ model: config, weights }, settings), tokenization };
}

/** Its files, for telling whether they have changed. */
export function initialModelInputs(settings: { readonly init_from?: string | undefined }): string[] {
  const path = initialModelPath(settings);
  return path === null ? [] : modelInputs(path, 'generator');
}
