/** Writes and scores with a project's models for the playground: see main/engine/cycle/playground.ts. */
import { readdirSync } from 'node:fs';
import type { z } from 'zod';
import { finite } from '../../../shared/base/numbers.js';
import { usesCritic } from '../../../shared/config/model.js';
import type { WrittenToken } from '../../../shared/contract/playground.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { artefactName, artefactsAmong, parseArtefact } from '../../../shared/phases/index.js';
import { naturalAfterEach, writeTokens, type WrittenId } from '../../engine/cycle/playground.js';
import { createSharedParameters } from '../../engine/model/adapters.js';
import { createParameters } from '../../engine/model/model.js';
import { samplingRule } from '../../engine/model/sampling-rule.js';
import { createRewardScorer } from '../../engine/reward/reward-scorer.js';
import { decodeInPlace, type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { checkName } from '../../storage/disk/names.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';
import { beginning, withoutBlank } from './sample.js';

type WriteInput = z.output<(typeof trainerCalls)['write']['input']>;
type ScoreInput = z.output<(typeof trainerCalls)['score']['input']>;

const MILLISECONDS_BETWEEN_REPORTS = 100;

export async function write(
  { folder, model: name, prompt, tokens: count, temperature, top_k: topK, top_p: topP, seed }: WriteInput,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'write'>> {
  checkName(name);
  const path = projectPaths(folder).model(name);
  const { config: model, weights, tokenization } = openModel(path, 'generator', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const { kept, blank, others } = withoutBlank(tokenizer, prompt === '' ? beginning(tokenization.chars) : prompt);
  const ids = encoded(tokenizer, kept, 'prompt');
  const view = createView(tokenizer, ids);
  const written: WrittenToken[] = [];
  let [reported, reportedAt] = [0, context.now()];
  const report = () => {
    if (reported < written.length) onProgress({ tokens: written.slice(reported) });
    [reported, reportedAt] = [written.length, context.now()];
  };
  const stopped = await writeTokens({
    model,
    weights,
    prompt: ids,
    count,
    temperature,
    topK,
    topP,
    seed,
    env: await environmentOf(context),
    vocabLimit: tokenizer.vocabSize,
    excluded: tokenizer.special,
    excludedFirst: others,
    onToken(token) {
      const next = view.show(token);
      written.push(written.length === 0 ? { ...next, text: next.text.slice(blank.length) } : next);
      if (context.now() - reportedAt >= MILLISECONDS_BETWEEN_REPORTS) report();
    },
  });
  const last = written.pop();
  if (last) written.push({ ...last, text: last.text + view.flush() });
  report();
  return { tokens: written, stopped };
}

/** Scores each prefix of a text by the reward model that is named, or by the project's newest. */
export async function score(
  { folder, model: name, text }: ScoreInput,
  context: JobContext,
): Promise<CallOutput<'score'>> {
  const paths = projectPaths(folder);
  const chosen = rewardModelOf(paths.checkpoints, name);
  const { cycle = 1 } = parseArtefact(chosen) ?? {};
  const { config, weights, tokenization } = openModel(paths.model(chosen), 'reward', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const env = await environmentOf(context);
  const session = env.runtime.createSession();
  try {
    const model = { ...config, dropout: 0 };
    // A critic is compared with the generator that wrote its training data.
    const generator = usesCritic(model.reward_kind)
      ? openModel(paths.model(artefactName('base_model', cycle - 1)), 'generator', { context })
      : null;
    const parameters = createParameters(session, weights);
    const shared = { weights, parameters };
    const writer = generator && {
      model: { ...generator.config, dropout: 0 },
      parameters: createSharedParameters(session, generator.config, generator.weights, 'generator.', shared),
      ...samplingRule({
        generation: openProject(folder).config,
        vocabLimit: tokenizer.vocabSize,
        excluded: tokenizer.special,
      }),
    };
    const scorer = createRewardScorer(session, model, parameters, env, writer ?? undefined);
    const ids = encoded(tokenizer, text, 'text');
    const natural = await naturalAfterEach(scorer, model.block_size, ids);
    const texts = tokenTexts(tokenizer, ids);
    const tokens = texts.map((piece, index) => ({ text: piece, natural: finite(natural[index]) }));
    return { tokens };
  } finally {
    session.dispose();
  }
}

function rewardModelOf(checkpoints: string, name: string): string {
  const named = parseArtefact(name);
  if (named?.kind === 'reward_model' && named.variant === null) return name;
  const newest = artefactsAmong('reward_model', readdirSync(checkpoints)).at(-1);
  if (newest !== undefined) return newest;
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
    throw new UserError(
      { ...error.toFault(), hint: localized('playground.known_characters'), field },
      { cause: error },
    );
  }
}

/** A character has at most four tokens, so these decide how a token is decoded. */
const TOKENS_BEFORE = 4;

/** Returns a function that shows each token after the prompt in its place. */
function createView(tokenizer: Tokenizer, prompt: TokenIds) {
  const decoder = tokenizer.createDecoder();
  decoder.push(prompt);
  const before = Array.from(prompt.slice(-TOKENS_BEFORE));
  return {
    show({ id, logProb, alternatives }: WrittenId): WrittenToken {
      const textOf = (other: number) => decodeInPlace(tokenizer, [before, [other]])[1] ?? '';
      const others = alternatives.map((other) => ({ text: textOf(other.id), probability: other.probability }));
      before.push(id);
      if (before.length > TOKENS_BEFORE) before.shift();
      return { text: decoder.push([id]), log_prob: finite(logProb), alternatives: others };
    },
    flush: decoder.flush,
  };
}
