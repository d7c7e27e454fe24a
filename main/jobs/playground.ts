/** Writing and judging with a project's models for the playground: see main/engine/playground.ts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { trainerCalls, CallOutput } from '../../shared/contract/trainer.js';
import type { WrittenToken } from '../../shared/contract/playground.js';
import { usesCritic } from '../../shared/config/model.js';
import { UserError } from '../../shared/errors.js';
import { createParameters } from '../engine/model.js';
import { naturalAfterEach, writeTokens, type WrittenId } from '../engine/playground.js';
import { createRewardScorer } from '../engine/reward-scorer.js';
import type { Tokenizer } from '../engine/tokenizer/index.js';
import { checkName } from '../storage/names.js';
import { openModel } from './models.js';
import { tokenizerOf } from './text.js';
import { environmentOf, type JobContext } from './types.js';

type WriteInput = z.output<(typeof trainerCalls)['write']['input']>;
type ScoreInput = z.output<(typeof trainerCalls)['score']['input']>;

/** Tokens are told in handfuls, some times a second. */
const MILLISECONDS_BETWEEN = 100;

export async function write(
  { folder, model: name, prompt, tokens: count, temperature, top_k: topK, seed }: WriteInput,
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
    ...{ model, weights, prompt: ids, count, temperature, topK, seed, env },
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
  const version = rewardVersion(folder, name);
  const judge = openModel(modelPath(folder, `reward_model_v${version}`), 'reward', { context });
  const tokenizer = await tokenizerOf(judge.tokenization);
  const ids = encoded(tokenizer, text, 'text');
  const env = await environmentOf(context);
  const session = env.runtime.createSession();
  try {
    const model = { ...judge.config, dropout: 0 };
    // A critic is compared with the generator that wrote what it was fitted on.
    const wrote = usesCritic(model.reward_kind)
      ? openModel(modelPath(folder, `base_model_v${version}`), 'generator', { context })
      : null;
    const writer = wrote && {
      model: { ...wrote.config, dropout: 0 },
      parameters: createParameters(session, wrote.weights, 'generator.'),
      temperature: 1,
    };
    const parameters = createParameters(session, judge.weights);
    const scorer = createRewardScorer(session, model, parameters, env, writer ?? undefined);
    const natural = await naturalAfterEach(scorer, model.block_size, ids);
    const tokens = Array.from(ids, (id, index) => ({ text: textOf(tokenizer, id), natural: finite(natural[index]) }));
    return { tokens };
  } finally {
    session.dispose();
  }
}

function modelPath(folder: string, name: string): string {
  checkName(name);
  return join(folder, 'checkpoints', name);
}

/** The reward model that is meant: the one that is named, or the project's newest. */
function rewardVersion(folder: string, name: string): number {
  const named = /^reward_model_v(\d+)$/.exec(name)?.[1];
  if (named !== undefined) return Number(named);
  const versions = readdirSync(join(folder, 'checkpoints')).flatMap((entry) => {
    const version = /^reward_model_v(\d+)$/.exec(entry)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  if (versions.length > 0) return Math.max(...versions);
  throw new UserError({
    code: 'checkpoint',
    message: 'This project has no reward model yet',
    hint: 'It is trained in the first cycle, after base training.',
  });
}

/** As `verisim sample` begins. */
const beginning = (chars: readonly string[] | undefined) =>
  chars === undefined || chars.includes('\n') ? '\n' : (chars[0] ?? '\n');

function encoded(tokenizer: Tokenizer, text: string, field: string): Uint16Array {
  try {
    return tokenizer.encode(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = 'Use characters of the text that the model was trained on.';
    throw new UserError({ ...error.toFault(), hint, field }, { cause: error });
  }
}

const textOf = (tokenizer: Tokenizer, id: number) => tokenizer.decode(Uint16Array.of(id));

const tokenView = (tokenizer: Tokenizer, { id, logProb, alternatives }: WrittenId): WrittenToken => ({
  text: textOf(tokenizer, id),
  log_prob: finite(logProb),
  alternatives: alternatives.map(({ id: other, probability }) => ({ text: textOf(tokenizer, other), probability })),
});

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;
