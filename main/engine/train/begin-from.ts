/**
 * A model that can write already, as training begins from it: its own network, with the context and the dropout that the
 * run wants. GPT-2's table of positions is cut to a shorter context, as nanoGPT's `crop_block_size` does; rotary positions
 * need no cutting. Adapters that it was trained with are added into its matrices, so that what training begins from is one
 * set of weights, whatever it was made from.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { positionsOf, withHeldOutWindow, type GPTConfig } from '../../../shared/config/model.js';
import { adaptersOf, type TuneConfig } from '../../../shared/config/tune.js';
import { merged } from '../model/adapters.js';
import type { HostArray, NamedArrays } from '../types.js';

interface Beginning {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

type Wanted = Pick<GPTConfig, 'block_size' | 'dropout' | 'reward_head_hidden_dim'> &
  Partial<TuneConfig> & { readonly init_from?: string | undefined };

const POSITIONS = 'transformer.wpe.weight';

/**
 * @returns without the adapters that are wanted, which begin with training
 * @throws UserError `bad_input` when the context is longer than the model's positions
 */
export function beginFrom(given: Beginning, wanted: Wanted): Beginning {
  const { model, weights } = merged(given);
  const { block_size, dropout, reward_head_hidden_dim } = wanted;
  const longest = positionsOf(model);
  if (block_size > longest) {
    throw new UserError({
      code: 'bad_input',
      message: localized('train.block_size_but_model_begin', { block_size, longest }),
      hint: localized('train.use_block_size_less', { longest }),
      field: 'block_size',
    });
  }
  const positions = weights[POSITIONS];
  const network = { ...model, block_size, dropout, reward_head_hidden_dim, ...adaptersOf(wanted) };
  return {
    // Under a writer from scratch a critic reads held-out text in the writer's windows.
    model: initialModelPath(wanted) === null ? inOwnWindow(network) : withHeldOutWindow(network),
    weights: positions ? { ...weights, [POSITIONS]: firstRows(positions, block_size) } : weights,
  };
}

function inOwnWindow({ eval_block_size: _longer, ...model }: GPTConfig): GPTConfig {
  return model;
}

function firstRows({ shape: [, width = 0], data }: HostArray, rows: number): HostArray {
  return { shape: [rows, width], data: data.slice(0, rows * width) };
}
