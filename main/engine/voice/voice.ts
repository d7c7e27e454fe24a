/**
 * Follows the author's voice. A round writes groups of continuations for its steps, and rewards what is likelier for the version that
 * wrote it than for the untrained model, less repetition that the text does not have. A step learns from the best and the worst of
 * each of its groups as a pair. Between rounds the brakes are looked at (brakes.ts): the first that is crossed ends the phase,
 * which keeps the last weights before it. A taste (../taste) may reward instead; choices that it has not learned from then decide at the end.
 */
import * as tf from '@tensorflow/tfjs';
import { declarationOf } from '../../../shared/architectures/index.js';
import { quickTokens, type GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { passageShape, VOICE_ROUND } from '../../../shared/config/voice.js';
import { voiceStep } from '../../../shared/costs/phases.js';
import { flopsOf } from '../../../shared/costs/work.js';
import { localized } from '../../../shared/messages/message.js';
import { lossByText, type Measure, type VoiceTraining } from '../../../shared/reports/report.js';
import { completionValues, shownCompletions, type ShownCompletion } from '../grpo/step-report.js';
import { shouldStoreAsBfloat16, trainedOf } from '../model/adapters.js';
import { createParameters, readOnDemand, readParameters, writeParameters, type Parameters } from '../model/model.js';
import { readingPrecision, trainingPrecision } from '../model/precision.js';
import { takeScalars } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { mean, standardDeviation } from '../statistics/statistics.js';
import { copyLength, createCopyIndex } from '../statistics/text-statistics.js';
import type { TokenizationMethod } from '../tokenizer/types.js';
import { diagnoseDivergence } from '../train/divergence.js';
import { gradientsOf } from '../train/gradients.js';
import { createAdamW, updatesInPlace } from '../train/optimizer.js';
import { createEvaluator, type Evaluation } from '../train/perplexity.js';
import { runPhase, type Row, type StepResult, type TrainingPhase } from '../train/phase.js';
import { grpoLearningRateAt } from '../train/schedule.js';
import type { Checkpoint, CheckpointSlot, NamedArrays, TokenSource } from '../types.js';
import type { Level } from './brakes.js';
import { agreementOf, createChoiceReader, type ReadableChoice } from './choices.js';
import { createGroups, groupsOf, pairsOf, type GroupOptions, type Groups } from './groups.js';
import { pairLoss } from './pair-loss.js';
import { continuationLogProbs } from './passages.js';
import { createRounds } from './rounds.js';

export interface VoiceOptions extends GroupOptions {
  readonly before: Level;
  /** Choices of the user that decide whether the new weights are kept. */
  readonly heldOutChoices?: readonly ReadableChoice[];
  readonly valTokens: TokenSource;
  /** Most tokens of held-out text that are measured at the end. */
  readonly measuredTokens: number;
  readonly tokenization: TokenizationMethod;
  readonly slot: CheckpointSlot;
  onCompletions?(completions: readonly ShownCompletion[]): void;
}

interface VoiceOutcome {
  readonly weights: NamedArrays;
  readonly training: VoiceTraining;
  readonly heldOut: Evaluation;
  /** Of the held-out choices, how many the new weights speak for; null without any, or if nothing was learned. */
  readonly agreement: Measure | null;
}

/** A type, not an interface, so that it is JSON for the checkpoint. */
type VoiceState = {
  readonly step: number;
  readonly bestStep: number;
  readonly finished: NonNullable<VoiceTraining['stopped_because']> | null;
  /** The loss before the first step, of the text that is read between steps. */
  readonly heldOut: number;
};

interface VoiceStepResult extends StepResult {
  readonly groups: Groups;
  readonly learningRate: number;
  /** Of the update. */
  readonly seconds: number;
}

/** Shares of the chosen continuation's own loss, and of the text's: what follows the same prompts (pair-loss.ts). */
const SHARES = { chosen: 0.2, text: 0.5 } as const;

/** Runs the phase; resumes from the slot's latest checkpoint if there is one. */
export const trainVoice = (options: VoiceOptions): Promise<VoiceOutcome> =>
  runPhase(options, (session, saved) => following(options, session, saved));

/** The trained parameters of the upper half: the lower half knows the language, and needs no backward pass. */
function learnedOf<T>(model: GPTConfig, all: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const { blockOf } = declarationOf(model);
  const isUpper = (block: number | null) =>
    block !== null && block < model.n_layer && block >= Math.floor(model.n_layer / 2);
  return Object.fromEntries(Object.entries(trainedOf(model, all)).filter(([name]) => isUpper(blockOf(model, name))));
}

/** What computes: the policy, its groups, its update and its loss. */
function createParts(options: VoiceOptions, session: Session, model: GPTConfig, saved: Checkpoint | null) {
  const { weights, vocabulary, heldOutChoices = [], env } = options;
  const isNarrow = shouldStoreAsBfloat16(model, readingPrecision(env.runtime, model));
  const policy = createParameters(session, { ...weights, ...saved?.weights }, 'policy.', isNarrow);
  const trained = learnedOf(model, policy);
  return {
    trained,
    groups: createGroups(options, session, model, policy),
    update: createUpdate(options, session, { model, policy, trained }, saved),
    evaluator: createEvaluator(session, model, policy, env, { vocabulary }),
    /**
     * Keeps `learned` unless held-out choices speak against it, or else the weights that the phase began with.
     * @returns how far they speak for it
     */
    async keep(learned: NamedArrays | null): Promise<Measure | null> {
      const initial = learnedOf(model, weights);
      writeParameters(session, trained, initial);
      if (learned === null) return null;
      const read = heldOutChoices.length > 0 ? createChoiceReader(session, [{ model, parameters: policy }], env) : null;
      const before = await read?.(heldOutChoices);
      writeParameters(session, trained, learned);
      const found = read && before ? agreementOf(before, await read(heldOutChoices)) : null;
      if (found && !speaksFor(found)) writeParameters(session, trained, initial);
      return found;
    },
  };
}

function following(
  options: VoiceOptions,
  session: Session,
  saved: Checkpoint | null,
): TrainingPhase<VoiceState, GrpoConfig, VoiceStepResult, VoiceOutcome> {
  const { weights, valTokens, config, taste, env } = options;
  const model: GPTConfig = { ...options.model, dropout: 0 };
  const { group_size: size } = config;
  const shape = passageShape(model);
  const copies = createCopyIndex(options.trainTokens);
  const { trained, groups, update, evaluator, keep } = createParts(options, session, model, saved);
  const rounds = createRounds({ ...options, copies, shape, size, groups }, saved?.optimizer);

  return {
    name: 'grpo',
    config,
    async initialState() {
      const { loss: heldOut } = await evaluator.evaluate(valTokens, quickTokens(model));
      const finished = taste?.certain === false ? 'no_pattern' : null;
      return { step: 0, bestStep: 0, finished, heldOut };
    },
    arrays: () => ({
      weights: readOnDemand(session, trained),
      optimizer: { ...update.read(), ...rounds.read() },
    }),
    maxSteps: ({ grpo_max_steps }) => grpo_max_steps,
    async step({ step }, now) {
      const groups = await rounds.groupsOf(step);
      if (!groups) return null;
      const [startedAt, learningRate] = [env.now(), grpoLearningRateAt(step, now)];
      const learned = await update.take(pairsOf(groups, size), step, { beta: now.beta, learningRate });
      return { ...learned, groups, learningRate, seconds: (env.now() - startedAt) / 1000 };
    },
    advance: (state) => ({ ...state, step: state.step + 1 }),
    evaluation: {
      interval: VOICE_ROUND,
      async measure({ step }, isLast) {
        const { loss, perplexity, ...measured } = await evaluator.evaluate(valTokens, quickTokens(model));
        await rounds.look(step, isLast);
        const byText = lossByText(measured, (name) => `held_out_${name}`);
        return { loss, row: { held_out_perplexity: perplexity, ...byText } };
      },
      stopping: {
        weights: trained,
        record(state, now) {
          const finished = rounds.brake({ now, start: state.heldOut });
          const isBest = finished === null;
          return { state: { ...state, bestStep: isBest ? state.step : state.bestStep, finished }, isBest };
        },
      },
    },
    logInterval: () => 1,
    row: (result, measured) => ({
      ...valuesOf(result, size, taste !== undefined),
      ...completionValues(writtenOf(result.groups, shape.prompt), copies, copyLength[options.tokenization]),
      ...measured,
    }),
    onStep: ({ groups }, { step }) =>
      options.onCompletions?.(shownCompletions(step, writtenOf(groups, shape.prompt), size)),
    describe: ({ groups: { rewards, logRatios } }) =>
      localized('voice.progress', { log_ratio: mean(logRatios), taste: taste ? mean(rewards) : null }),
    work: {
      tokens: size * config.prompts_per_step * shape.length,
      operations: flopsOf(voiceStep(model, config)),
      precision: readingPrecision(env.runtime, model),
    },
    explain: ({ loss }, latest) =>
      diagnoseDivergence({ model, weights: { ...weights, ...latest?.weights }, loss, moments: update.read() }),
    async finish({ state, best }) {
      const agreement = await keep(state.bestStep > 0 ? best : null);
      const agrees = agreement === null || speaksFor(agreement);
      const heldOut = await evaluator.evaluate(valTokens, options.measuredTokens);
      const training = announced(state, agrees, env);
      return { weights: { ...weights, ...(await readParameters(session, trained)) }, training, heldOut, agreement };
    },
  };
}

/** Reports how the phase ended. */
function announced({ step, bestStep, finished }: VoiceState, agrees: boolean, { emit }: VoiceOptions['env']) {
  const stopped_because = agrees ? (finished ?? 'max_steps') : 'disagreed';
  const best = agrees ? bestStep : 0;
  const message = localized(`voice.end.${stopped_because}`, { step, best });
  emit({ event: 'notice', level: 'info', code: `voice_${stopped_because}`, message });
  return { steps: step, best_step: best, stopped_because };
}

const speaksFor = ({ mean: share }: Measure): boolean => share > 0.5;

const writtenOf = ({ ids, rewards }: Groups, prompt: number) => ({
  ids,
  promptLengths: Array.from(rewards, () => prompt),
  rewards,
  advantages: Float64Array.from(rewards),
});

const valuesOf = (
  { groups, loss, gradNorm, learningRate, seconds }: VoiceStepResult,
  size: number,
  byTaste: boolean,
): Row => ({
  reward: mean(byTaste ? groups.rewards : groups.logRatios),
  reward_std: mean(groupsOf(groups.rewards, size).map((group) => standardDeviation(group))),
  reward_batch_std: standardDeviation(groups.rewards),
  loss,
  grad_norm: gradNorm,
  learning_rate: learningRate,
  seconds_generate: groups.seconds.generate,
  seconds_score: groups.seconds.score,
  seconds_update: seconds,
});

interface Learner {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  readonly trained: Parameters;
}

/** Compiles the step of pairs with the text (3P, L). */
function createUpdate(
  { env }: VoiceOptions,
  session: Session,
  { model, policy, trained }: Learner,
  saved: Checkpoint | null,
) {
  const { continuation: tokens, length } = passageShape(model);
  const adam = { weightDecay: 0, gradClip: 1, inPlace: updatesInPlace(model) };
  const optimizer = createAdamW(session, trained, adam, saved?.optimizer);
  const learn = session.compile(
    ({ ids, reference, beta, scalars }: Readonly<Record<'ids' | 'reference' | 'beta' | 'scalars', tf.Tensor>>) => {
      const { value, gradients } = gradientsOf(() => {
        const logProbs = continuationLogProbs(model, policy, ids, tokens, 'selective');
        return pairLoss({ logProbs, reference: reference as tf.Tensor1D, beta, shares: SHARES, tokens });
      }, trained);
      return { loss: value, gradNorm: optimizer.apply(gradients, scalars) };
    },
    { name: 'voice_step', precision: trainingPrecision(env.runtime, model) },
  );
  return {
    read: optimizer.read,
    async take(
      pairs: ReturnType<typeof pairsOf>,
      step: number,
      now: { readonly beta: number; readonly learningRate: number },
    ) {
      const inputs = {
        ids: tf.tensor2d(pairs.ids, [pairs.ids.length / length, length], 'int32'),
        reference: tf.tensor1d(pairs.reference),
        beta: tf.scalar(now.beta),
        scalars: optimizer.scalars(step + 1, now.learningRate),
      };
      const numbers = await takeScalars(learn(inputs));
      tf.dispose(inputs);
      return numbers;
    },
  };
}
