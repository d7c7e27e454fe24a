/** Measures how well a model predicts a passage before it is trained on it: what a start from it begins with. */
import type { CallInput, CallOutput } from '../../../shared/contract/trainer.js';
import { beginFrom } from '../../engine/train/begin-from.js';
import { tokensInMemory } from '../../engine/train/dataset.js';
import { perplexity } from '../../engine/train/perplexity.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, interruptible, type JobContext } from '../types.js';

/** Tokens that are read at most: the 4,000 characters of an English passage, fewer in an unknown script, and a second or two. */
const MOST_TOKENS = 1024;
const WINDOW = 512;

/** @throws UserError if the model cannot be opened, or has no token for a character */
export async function familiarity(
  { model: path, text }: CallInput<'familiarity'>,
  context: JobContext,
): Promise<CallOutput<'familiarity'>> {
  const runtime = await context.runtime();
  // Without TensorFlow it would take minutes.
  if (runtime.kind === 'wasm') return { nats_per_character: null };
  const { config, weights, tokenization } = openModel(path, 'generator', { context });
  const vocabulary = await tokenizerOf(tokenization);
  const tokens = tokensInMemory(vocabulary.encode(text).subarray(0, MOST_TOKENS + 1));
  if (tokens.length < 2) return { nats_per_character: null };
  const block_size = Math.min(config.block_size, WINDOW, tokens.length - 1);
  const { reward_head_hidden_dim } = config;
  const started = beginFrom({ model: config, weights }, { block_size, dropout: 0, reward_head_hidden_dim });
  const env = interruptible(await environmentOf({ ...context, emit: () => undefined }));
  const { nats_per_character } = await perplexity({ ...started, tokens, vocabulary, phase: 'evaluation', env });
  return { nats_per_character: nats_per_character ?? null };
}
