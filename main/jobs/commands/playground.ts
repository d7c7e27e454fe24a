/** Writing and judging with a project's models for the playground: see main/engine/cycle/playground.ts. */
import { localized } from '../../../shared/messages/message.js';
import { join } from 'node:path';
import type { z } from 'zod';
import type { trainerCalls, CallOutput } from '../../../shared/contract/trainer.js';
import type { WrittenToken } from '../../../shared/contract/playground.js';
import { UserError } from '../../../shared/errors.js';
import { finite } from '../../../shared/base/numbers.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import { naturalAfterEach, writeTokens, type WrittenId } from '../../engine/cycle/playground.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { checkName } from '../../storage/disk/names.js';
import { openModel } from '../models.js';
import { newestRewardModel, withRewardScorer } from './reward-scorer.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';
import { beginning } from './sample.js';
import type { TokenIds } from '../../engine/types.js';

type WriteInput = z.output<(typeof trainerCalls)['write']['input']>;
type ScoreInput = z.output<(typeof trainerCalls)['score']['input']>;

/** Tokens are told in handfuls, some times a second. */
const MILLISECONDS_BETWEEN = 100;

export async function write(
  { folder, model: name, prompt, tokens: count, temperature, top_k: topK, top_p: topP, seed }: WriteInput,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'write'>> {
  const { config: model, weights, tokenization } = openModel(modelPath(folder, name), 'generator', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const ids = encoded(tokenizer, prompt === '' ? beginning(tokenization.chars) : prompt, 'prompt');
  const env = await environmentOf(context);
  const written: WrittenToken[] = [];
  let told = 0;
  let toldAt = context.now();
  const stopped = await writeTokens({
    model,
    weights,
    prompt: ids,
    count,
    temperature,
    topK,
    topP,
    seed,
    env,
    vocabLimit: tokenizer.vocabSize,
    onToken(token) {
      written.push(tokenView(tokenizer, token));
      if (context.now() - toldAt < MILLISECONDS_BETWEEN) return;
      onProgress({ tokens: written.slice(told) });
      told = written.length;
      toldAt = context.now();
    },
  });
  if (told < written.length) onProgress({ tokens: written.slice(told) });
  return { tokens: written, stopped };
}

export async function score(
  { folder, model: name, text }: ScoreInput,
  context: JobContext,
): Promise<CallOutput<'score'>> {
  return withRewardScorer(folder, rewardModelOf(folder, name), context, async ({ scorer, tokenizer, blockSize }) => {
    const ids = encoded(tokenizer, text, 'text');
    const natural = await naturalAfterEach(scorer, blockSize, ids);
    return {
      tokens: Array.from(ids, (id, index) => ({ text: textOf(tokenizer, id), natural: finite(natural[index]) })),
    };
  });
}

function modelPath(folder: string, name: string): string {
  checkName(name);
  return join(folder, 'checkpoints', name);
}

/** The reward model that is meant: the one that is named, or the project's newest. */
function rewardModelOf(folder: string, name: string): string {
  const named = parseArtefact(name);
  if (named?.kind === 'reward_model' && named.variant === null) return name;
  const newest = newestRewardModel(folder);
  if (newest !== null) return newest;
  throw new UserError({
    code: 'checkpoint',
    message: localized('playground.no_reward_model'),
    hint: localized('playground.reward_model_later'),
  });
}

function encoded(tokenizer: Tokenizer, text: string, field: string): TokenIds {
  try {
    return tokenizer.encode(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = 'Use characters of the text that the model was trained on.';
    throw new UserError({ ...error.toFault(), hint, field }, { cause: error });
  }
}

const textOf = (tokenizer: Tokenizer, id: number) => tokenizer.decode(Uint32Array.of(id));

const tokenView = (tokenizer: Tokenizer, { id, logProb, alternatives }: WrittenId): WrittenToken => ({
  text: textOf(tokenizer, id),
  log_prob: finite(logProb),
  alternatives: alternatives.map(({ id: other, probability }) => ({ text: textOf(tokenizer, other), probability })),
});
