// GPTConfig as specification 1.1 has it.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { modelConfigSchema } from '../../shared/config/model.js';
import { rewardModelShape } from '../../shared/config/reward-model.js';

it('has the fields and defaults of the documented GPTConfig', () => {
  expect(modelConfigSchema.parse({})).toEqual({
    block_size: 1024,
    vocab_size: 50304,
    n_layer: 12,
    n_head: 12,
    n_embd: 768,
    dropout: 0,
    bias: true,
    mode: 'generator',
    reward_head_hidden_dim: 256,
  });
});

it('is a generator or a reward model, with a head of any width', () => {
  for (const reward_head_hidden_dim of [128, 256, 512]) {
    expect(modelConfigSchema.parse({ mode: 'reward', reward_head_hidden_dim }).reward_head_hidden_dim).toBe(
      reward_head_hidden_dim,
    );
  }
  expect(modelConfigSchema.safeParse({ mode: 'critic' }).success).toBe(false);
});

it('trains a reward model as the specification does by default', () => {
  expect(z.object(rewardModelShape).parse({})).toMatchObject({
    reward_kind: 'head',
    reward_learning_rate: 1e-4,
  });
});
