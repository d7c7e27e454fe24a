/** A cycle that learns from the user's choices, as others follow the voice (../voice): a taste rewards, and held-out choices decide. */
import { passageShape, VOICE_ROUND, voicePassages } from '../../../shared/config/voice.js';
import type { ChoicesReport } from '../../../shared/reports/report.js';
import { streams } from '../rng.js';
import { withSession } from '../runtime/session.js';
import { createCopyIndex, shortCopyLength } from '../statistics/text-statistics.js';
import { learnTaste, type Choice } from '../taste/taste.js';
import type { Environment, LanguageModel, TokenIds } from '../types.js';
import { createChoiceReader, type ReadableChoice } from '../voice/choices.js';
import { continuationsOf, continued, spreadPassages } from '../voice/passages.js';
import { trainVoice } from '../voice/voice.js';
import { countsOf } from '../voice/yardsticks.js';
import { during } from './cycle-phase.js';
import { generatorName, type Project } from './cycle-types.js';
import { pairOptions, tunedAndUntrained, untrainedModel } from './cycle-voice.js';

export function followChoices(project: Project, cycle: number, generator: LanguageModel) {
  const { store } = project;
  return during(project, 'grpo', cycle, generatorName(cycle), async (env) => {
    const choices = await store.loadChoices?.(cycle);
    if (!choices) throw new Error(`the choices of cycle ${cycle} are missing from the project`);
    const untrained = await untrainedModel(project);
    const tuned = cycle === 1 ? generator : ((await store.loadModel(generatorName(0))) ?? generator);
    const heard = untrained ? await withLogRatios(choices.training, tuned, untrained, env) : choices.training;
    const taste = learnTaste(heard, choices.ignored);
    const { weights, training, heldOut, agreement } = await trainVoice({
      ...pairOptions(project, cycle, generator),
      untrained,
      taste,
      heldOutChoices: choices.heldOut,
      ...(await levelsOf(project, generator, env)),
      env,
    });
    const report: ChoicesReport = {
      learned_from: choices.training.length,
      held_out: choices.heldOut.length,
      preferences: taste.certain ? taste.preferences : [],
      agreement,
      training,
    };
    return { weights, heldOut, report };
  });
}

/** Adds by how much each continuation is likelier for the tuned model than for the untrained one. */
async function withLogRatios(
  choices: readonly ReadableChoice[],
  tuned: LanguageModel,
  untrained: LanguageModel,
  env: Environment,
): Promise<readonly Choice[]> {
  return withSession(env.runtime, async (session) => {
    const read = createChoiceReader(session, tunedAndUntrained(session, tuned, untrained), env);
    const likelihoods = await read(choices);
    return choices.map((choice, at) => ({
      ...choice,
      voice: likelihoods[at]?.map(([own = NaN, other = NaN]) => own - other) ?? [],
    }));
  });
}

/** Repetition, copies and variety of as much as a round writes, and of the text. */
async function levelsOf({ config, tokens }: Project, generator: LanguageModel, env: Environment) {
  const shape = passageShape(generator.model);
  const copies = createCopyIndex(tokens.train);
  const counts = (ids: TokenIds) => countsOf(continuationsOf(ids, shape), copies, shortCopyLength[tokens.method]);
  const rows = VOICE_ROUND * config.prompts_per_step;
  const drawing = { rows, vocabLimit: tokens.vocabSize, excluded: tokens.special, env };
  const noise = { seed: config.seed, stream: streams.voiceGeneration, first: 0 };
  const { ids } = await continued(generator, spreadPassages(tokens.val, rows, shape), noise, drawing);
  const { distinct_3: variety, ...before } = counts(ids);
  const text = counts(spreadPassages(tokens.val, voicePassages(tokens.val.length, shape).version, shape));
  return { before: { ...before, variety }, text };
}
