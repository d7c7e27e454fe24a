/**
 * The start of training from a pretrained model: its network with the run's context length and dropout, and its adapters
 * merged into the matrices. A longer table of positions is cut, as by nanoGPT's `crop_block_size`; rotary positions need no cut.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { positionsOf, withHeldOutWindow, type GPTConfig } from '../../../shared/config/model.js';
import { adaptersOf, type TuneConfig } from '../../../shared/config/tune.js';
import { merged } from '../model/adapters.js';
import type { HostArray, LanguageModel } from '../types.js';

type Settings = Pick<GPTConfig, 'block_size' | 'dropout' | 'reward_head_hidden_dim'> &
  Partial<TuneConfig> & { readonly init_from?: string | undefined };

const POSITIONS = 'transformer.wpe.weight';

/**
 * @returns the network with new adapters declared, and weights without them: training creates these
 * @throws UserError `bad_input` if the context is longer than the model's positions
 */
export function beginFrom(given: LanguageModel, settings: Settings): LanguageModel {
  const { model, weights } = merged(given);
  const { block_size, dropout, reward_head_hidden_dim } = settings;
  const longest = positionsOf(model);
  if (block_size > longest) {
    throw new UserError({
      code: 'bad_input',
      message: localized('train.context_too_long', { block_size, longest }),
      hint: localized('train.use_block_size_less', { longest }),
      field: 'block_size',
    });
  }
  const positions = weights[POSITIONS];
  const network = { ...model, block_size, dropout, reward_head_hidden_dim, ...adaptersOf(settings) };
  const { eval_block_size: _longer, ...inOwnWindow } = network;
  return {
    // A critic of a generator from scratch reads held-out text in the generator's windows.
    model: initialModelPath(settings) === null ? inOwnWindow : withHeldOutWindow(network),
    weights: positions ? { ...weights, [POSITIONS]: firstRows(positions, block_size) } : weights,
  };
}

function firstRows({ shape: [, width = 0], data }: HostArray, rows: number): HostArray {
  return { shape: [rows, width], data: data.slice(0, rows * width) };
}
