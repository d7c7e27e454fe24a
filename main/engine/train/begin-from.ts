/**
 * A model that can write already, as training begins from it: its own network, with the context and the dropout that the
 * run wants. GPT-2's table of positions is cut to a shorter context, as nanoGPT's `crop_block_size` does; rotary positions
 * need no cutting.
 */
import { UserError } from '../../../shared/errors.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { HostArray, NamedArrays } from '../types.js';

interface Beginning {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

type Wanted = Pick<GPTConfig, 'block_size' | 'dropout' | 'reward_head_hidden_dim'>;

const POSITIONS = 'transformer.wpe.weight';

/** @throws UserError `bad_input` when the context is longer than the model's positions */
export function beginFrom({ model, weights }: Beginning, wanted: Wanted): Beginning {
  const { block_size, dropout, reward_head_hidden_dim } = wanted;
  const longest = model.llama?.max_positions ?? model.block_size;
  if (block_size > longest) {
    throw new UserError({
      code: 'bad_input',
      message: `block_size is ${block_size}, but the model to begin from has positions for ${longest} tokens`,
      hint: `Use --block_size ${longest} or less.`,
      field: 'block_size',
    });
  }
  const positions = weights[POSITIONS];
  return {
    model: { ...model, block_size, dropout, reward_head_hidden_dim },
    weights: positions ? { ...weights, [POSITIONS]: firstRows(positions, block_size) } : weights,
  };
}

function firstRows({ shape: [, width = 0], data }: HostArray, rows: number): HostArray {
  return { shape: [rows, width], data: data.slice(0, rows * width) };
}
