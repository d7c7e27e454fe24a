/** Inspects a text with a project's models: see main/engine/cycle/inspect.ts. */
import { readdirSync } from 'node:fs';
import type { z } from 'zod';
import { finite } from '../../../shared/base/numbers.js';
import { heldOutWindow, usesCritic } from '../../../shared/config/model.js';
import type { CallOutput, trainerCalls } from '../../../shared/contract/trainer.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { artefactName, artefactsAmong, parseArtefact } from '../../../shared/phases/index.js';
import { likelyTokens, naturalAfterEach } from '../../engine/cycle/inspect.js';
import { createSharedParameters } from '../../engine/model/adapters.js';
import { createParameters } from '../../engine/model/model.js';
import { samplingRule } from '../../engine/model/sampling-rule.js';
import { createRewardScorer } from '../../engine/reward/reward-scorer.js';
import { decodeInPlace, type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { beginning, tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';
import { naturalAfter, type ScoredPiece } from '../writing/natural-after.js';
import { openVersion } from '../writing/version.js';
import { withSession } from '../../engine/runtime/session.js';

type Request = z.output<(typeof trainerCalls)['inspect']['input']>;

/** A character has at most four tokens, so these decide how a token is decoded. */
const TOKENS_BEFORE = 4;

export async function inspect(
  { folder, model: name, before: given, text }: Request,
  context: JobContext,
): Promise<CallOutput<'inspect'>> {
  const { config, weights, tokenization } = openVersion({ folder, model: name }, context);
  const tokenizer = await tokenizerOf(tokenization);
  const before = given === '' ? beginning(tokenization.chars) : given;
  const all = encoded(tokenizer, before + text);
  const pieces = tokenTexts(tokenizer, all);
  let [begin, end] = [0, pieces[0]?.length ?? 0];
  // The text's first token may begin before it.
  while (begin < 1 || (end <= before.length && begin < all.length)) end += pieces[++begin]?.length ?? 0;
  const window = heldOutWindow(config);
  const skipped = Math.max(0, begin - Math.ceil(window / 2));
  const tokens = await likelyTokens({
    model: { ...config, block_size: window },
    weights,
    ids: all.subarray(skipped),
    first: begin - skipped,
    rule: { temperature: 1, vocabLimit: tokenizer.vocabSize, excluded: tokenizer.special },
    env: await environmentOf(context),
  });
  const shown = pieces.slice(begin);
  const scored = await scoredBy(folder, before + text, context);
  const natural = scored && naturalAfter(pieces.slice(0, begin).join(''), shown, scored);
  return {
    tokens: tokens.map(({ logProb, alternatives }, at) => {
      const earlier = all.subarray(Math.max(0, begin + at - TOKENS_BEFORE), begin + at);
      const textOf = (id: number) => decodeInPlace(tokenizer, [earlier, [id]])[1] ?? '';
      return {
        text: shown[at] ?? '',
        log_prob: finite(logProb),
        natural: natural?.[at] ?? null,
        alternatives: alternatives.map(({ id, probability }) => ({ text: textOf(id), probability })),
      };
    }),
  };
}

/** Scores each prefix by the project's newest reward model; null without one. */
async function scoredBy(folder: string, text: string, context: JobContext): Promise<readonly ScoredPiece[] | null> {
  const paths = projectPaths(folder);
  const chosen = artefactsAmong('reward_model', readdirSync(paths.checkpoints)).at(-1);
  if (chosen === undefined) return null;
  const { cycle = 1 } = parseArtefact(chosen) ?? {};
  const { config, weights, tokenization } = openModel(paths.model(chosen), 'reward', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const env = await environmentOf(context);
  return withSession(env.runtime, async (session) => {
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
    const ids = encoded(tokenizer, text);
    const natural = await naturalAfterEach(scorer, model.block_size, ids);
    return tokenTexts(tokenizer, ids).map((piece, at) => ({ text: piece, natural: finite(natural[at]) }));
  });
}

function encoded(tokenizer: Tokenizer, text: string): TokenIds {
  try {
    return tokenizer.encode(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = localized('writing.known_characters');
    throw new UserError({ ...error.toFault(), hint, field: 'text' }, { cause: error });
  }
}
