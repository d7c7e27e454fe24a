/** GPTConfig: the shape of the network, with the specification's fields and defaults (specification 1.1). */
import { z } from 'zod';
import { parameter, positive, real, whole } from './parameter.js';
import { adaptersOf, loraSchema, type TuneConfig } from './tune.js';

export const modelShape = {
  architecture: parameter(z.enum(['gpt2', 'modern']).default('gpt2'), { advanced: true }),
  block_size: parameter(whole(2, 65536).default(1024)),
  n_layer: parameter(whole(1, 256).default(12)),
  n_head: parameter(whole(1, 256).default(12)),
  n_embd: parameter(whole(1, 65536).default(768)),
  dropout: parameter(real(0, 0.99).default(0)),
  reward_head_hidden_dim: parameter(whole(1, 65536).default(256), { advanced: true }),
  reward_kind: parameter(z.enum(['head', 'critic', 'voice']).default('head')),
};

/** How far rotary positions were stretched after pretraining, as config.json's rope_scaling says it. */
const ropeScalingSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('linear'), factor: real(1) }),
  z
    .object({
      type: z.literal('llama3'),
      factor: real(1),
      low_freq_factor: positive(),
      high_freq_factor: positive(),
      /** Positions before they were stretched. */
      original_positions: whole(1),
    })
    .refine(
      ({ low_freq_factor, high_freq_factor }) => low_freq_factor < high_freq_factor,
      'low_freq_factor of its rope_scaling must be below high_freq_factor',
    ),
]);
export type RopeScaling = z.infer<typeof ropeScalingSchema>;

/** What the shape of a network with rotary positions needs besides that of GPT-2. */
const rotaryShape = {
  /** Heads of keys and values, each of which serves as many heads of queries as the others (Ainslie et al. 2023). */
  n_kv_head: whole(1, 256),
  /** Numbers of a head; may differ from n_embd / n_head. */
  head_dim: whole(2, 1024).multipleOf(2),
  /** Width inside the feed-forward network. */
  n_inner: whole(1, 1_048_576),
  norm_epsilon: positive().max(0.1),
  rope_theta: positive(),
  /** Positions that it was made for; `block_size`, how far it looks here, is no more. */
  max_positions: whole(2),
  /** Whether the token embedding is the output layer too. */
  tied_head: z.boolean(),
};

const llamaShapeSchema = z.object({
  ...rotaryShape,
  rope_scaling: ropeScalingSchema.optional(),
  /** Norms of each head's queries and keys (Qwen3). */
  qk_norm: z.boolean(),
  /** Which projections of attention have a bias: of queries, keys and values (Qwen2), or the output's too. */
  attention_bias: z.enum(['none', 'inputs', 'all']),
});
export type LlamaShape = z.infer<typeof llamaShapeSchema>;

const modernShapeSchema = z.object({
  ...rotaryShape,
  /** Scores are this times tanh of themselves divided by it; null: as they are. */
  logit_cap: positive().nullable(),
});
export type ModernShape = z.infer<typeof modernShapeSchema>;

/** Of Qwen's and more; ids that 16 bits cannot hold are for vocabularies that were made elsewhere. */
const MAX_VOCABULARY = 2 ** 20;

type Widths = { readonly n_embd: number; readonly n_head: number; readonly architecture?: string | undefined };

/** What the width must be a multiple of: each head has an equal share of it, which rotary positions take in pairs. */
export const multipleOfWidth = ({ n_head, architecture }: Widths): number =>
  architecture === 'modern' ? 2 * n_head : n_head;

export function nearestWidth(config: Widths): number {
  const multiple = multipleOfWidth(config);
  return Math.max(1, Math.round(config.n_embd / multiple)) * multiple;
}

/** The error of a reward model that an earlier version trained and this one cannot use. */
const retired = (field: string) => (issue: { readonly input?: unknown }) =>
  `a reward model with ${field} ${String(issue.input)} needs an earlier version of Verisim; train the reward model again`;

const kinds = modelShape.reward_kind.unwrap();
/** What no setting asks for, but a model that was made elsewhere has; left out, it is GPT-2's. */
export const takenOverShape = {
  vocab_size: whole(1, MAX_VOCABULARY).default(50304),
  /** Whether linear layers and layer norms have a bias, as GPT-2's do; the modern architecture has none. */
  bias: z.boolean().default(true),
  mode: z.enum(['generator', 'reward']).default('generator'),
  architecture: z.enum(['gpt2', 'llama', 'modern']).optional(),
  llama: llamaShapeSchema.optional(),
  /** Left out: as those that begin here, from scratch (../architectures/modern.ts). */
  modern: modernShapeSchema.optional(),
};
const keptShape = {
  ...modelShape,
  ...takenOverShape,
  /** How many tokens of held-out text it sees at once. Left out: `block_size`. */
  eval_block_size: whole(2, 65536).optional(),
  /** Left out: `head`, as in the specification. */
  reward_kind: z.enum(kinds.options, { error: retired('reward_kind') }).optional(),
  /** Earlier versions had others. */
  reward_pooling: z.literal('last', { error: retired('reward_pooling') }).optional(),
  /** Adapters, which are all that is trained; left out: there are none. */
  lora: loraSchema.optional(),
};

/** What makes a model shape impossible although each field is in range. */
export const modelConfigSchema = z.object(keptShape).superRefine((config, context) => {
  const impossible = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  const { architecture = 'gpt2', llama, modern, n_embd, n_head, block_size } = config;
  const rotary = llama ?? modern;
  if ((architecture === 'llama') !== (llama !== undefined)) {
    impossible('llama', `architecture ${architecture} ${llama ? 'has no' : 'needs a'} llama shape`);
  } else if (modern && architecture !== 'modern') {
    impossible('modern', `architecture ${architecture} has no modern shape`);
  } else if (rotary && n_head % rotary.n_kv_head !== 0) {
    impossible(architecture, `n_head (${n_head}) must be divisible by n_kv_head (${rotary.n_kv_head})`);
  } else if (rotary && block_size > rotary.max_positions) {
    impossible('block_size', `block_size (${block_size}) must be at most max_positions (${rotary.max_positions})`);
  } else if (!rotary && n_embd % multipleOfWidth(config) !== 0) {
    const of = multipleOfWidth(config);
    const message = `n_embd (${n_embd}) must be divisible by ${of === n_head ? '' : 'twice '}n_head (${n_head}); the nearest that is: ${nearestWidth(config)}`;
    impossible('n_embd', message);
  }
});

export type GPTConfig = z.infer<typeof modelConfigSchema>;
export type ArchitectureName = NonNullable<GPTConfig['architecture']>;
export const architectureNames = takenOverShape.architecture.unwrap().options;
export const rewardKinds = kinds.options;
export type RewardKind = (typeof rewardKinds)[number];

/** Whether a reward model of this kind compares the generator with a critic. */
export const usesCritic = (kind: RewardKind | undefined): boolean => kind === 'critic';

/** Whether cycles follow the author's voice: no reward model is trained. */
export const followsVoice = (kind: RewardKind | undefined): boolean => kind === 'voice';

/** A reward model reads; only one that compares as a critic says how likely tokens are, as a generator does. */
export const predictsTokens = ({ mode, reward_kind }: GPTConfig): boolean =>
  mode === 'generator' || usesCritic(reward_kind);

/** How many positions a network was made for: what it looks at can be no longer. */
export const positionsOf = ({ llama, modern, block_size }: GPTConfig): number =>
  (llama ?? modern)?.max_positions ?? block_size;

/** Settings that decide a generator's network. */
export type NetworkSettings = Omit<GPTConfig, 'mode' | 'vocab_size' | 'bias' | 'lora' | 'eval_block_size'> &
  Partial<Pick<GPTConfig, 'bias'> & TuneConfig>;

/**
 * How many tokens of held-out text a network sees at once. One that was made for long texts knows more than a short window lets
 * it say; what it trains on, it can always see.
 */
export const heldOutWindow = (model: GPTConfig): number =>
  Math.max(model.block_size, Math.min(model.eval_block_size ?? 0, positionsOf(model)));

/** Held-out tokens that are measured at most, so that a text of 200 MB costs no more than one of 2 MB. */
export const MEASURED_TOKENS = 200_000;

/** Counts the windows of held-out text that are measured: all of them, or as many as have `most` tokens. */
export function measuredWindows(model: GPTConfig, tokens: number, most: number): number {
  const window = heldOutWindow(model);
  return Math.ceil(Math.min(Math.max(0, tokens - 1), most, MEASURED_TOKENS) / window);
}

/** A model that was made for long texts is to see more of held-out text than it trains on. */
const LONG_WINDOW = 512;

/** The same, reading held-out text in long windows as far as its positions reach. */
export function withHeldOutWindow({ eval_block_size: _before, ...model }: GPTConfig): GPTConfig {
  const window = heldOutWindow({ ...model, eval_block_size: LONG_WINDOW });
  return window > model.block_size ? { ...model, eval_block_size: window } : model;
}

/** A generator's network, of settings that may have more in them. */
export function generatorOf(config: NetworkSettings, vocab_size: number): GPTConfig {
  const { block_size, n_layer, n_head, n_embd, dropout, reward_head_hidden_dim, architecture, llama, modern } = config;
  const { bias = true } = config;
  const model: GPTConfig = {
    block_size,
    vocab_size,
    n_layer,
    n_head,
    n_embd,
    dropout,
    bias: bias && architecture !== 'modern',
    mode: 'generator',
    reward_head_hidden_dim,
    ...(architecture ? { architecture } : {}),
    ...(llama ? { llama } : {}),
    ...(modern ? { modern } : {}),
    ...adaptersOf(config),
  };
  return withHeldOutWindow(model);
}
