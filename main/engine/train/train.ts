/**
 * Base training, cycle 0: next-token prediction with AdamW until the held-out loss no longer improves
 * (specification 5.1; the loop is nanoGPT's). `verisim train --data_path input.txt --preset tiny`.
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import { SAMPLES_WRITTEN, type Recomputation, type TrainConfig } from '../../../shared/config/train.js';
import { trainingFlops } from '../../../shared/costs/network.js';
import { recomputationOf, trainingBatch } from '../../../shared/costs/memory.js';
import { lossByText, type HeldOutParts, type TrainResult } from '../../../shared/reports/report.js';
import { frozenOf, keptNarrow, trainedOf } from '../model/adapters.js';
import {
  createParameters,
  initialWeights,
  readOnDemand,
  readParameters,
  writeParameters,
  type Parameters,
} from '../model/model.js';
import { bfloat16Chosen, readingPrecision, trainingPrecision } from '../model/precision.js';
import type { Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import type { Vocabulary } from '../tokenizer/types.js';
import type { Checkpoint, CheckpointSlot, Environment, NamedArrays, TokenSource } from '../types.js';
import { requireBlock } from './dataset.js';
import { whatWentWrong } from './divergence.js';
import { initialEarlyStopping, recordEvaluation, type EarlyStoppingState } from './early-stopping.js';
import { dropoutNotice, passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { fittedTo, minutesNotice, stepsForMinutes } from './minutes.js';
import { createEvaluator, type Evaluation } from './perplexity.js';
import { runPhase, stopped, type Row, type Taken, type TrainingPhase } from './phase.js';
import { learningRateAt } from './schedule.js';
import { textLoss, type TextLength } from './text-loss.js';
import { createTrainStep } from './train-step.js';
import { createAverages, readAverages } from './weight-average.js';

interface TrainOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  /** Of the text; left out: losses are by token alone, and nothing is written while it trains. */
  readonly vocabulary?: Vocabulary;
  /** Lets the model write at its evaluations; left out: it does not. Its room comes after this one. */
  readonly createSampler?: CreateSampler;
  readonly slot: CheckpointSlot;
  /** Begin from these instead of fresh ones (fine-tuning). */
  readonly from?: NamedArrays;
  /** Evaluate and keep a running average of the weights, of which this share stays at each step; 0 or none: the weights. */
  readonly average?: number;
  /** Drop out what the network says even if the text is read often. */
  readonly isDropoutFixed?: boolean;
  readonly env: Environment;
}

export interface Sampler {
  /** Whether samples are due after so many steps. @param last no step comes after it */
  due(step: number, last: boolean): boolean;
  /**
   * Writes, and tells it.
   * @returns the share of known words; null where there are no words
   * @throws UserError `stopped` when the person asked to stop, with nothing told
   */
  write(step: number): Promise<number | null>;
}

type CreateSampler = (
  session: Session,
  options: Omit<TrainOptions, 'vocabulary'> & { readonly vocabulary: Vocabulary },
  parameters: Parameters,
  env: Environment,
) => Sampler;

/** A type, not an interface, so that it is JSON for the checkpoint. */
type TrainState = {
  readonly step: number;
  readonly evaluatedAt: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: TrainResult['stopped_because'] | null;
  /** Steps that the minutes came to; absent where steps were set. */
  readonly planned?: number;
  /** What is dropped out, if it is not the network's own. */
  readonly dropout?: number;
};

/** `text` is what was predicted; null where no tokenizer is known. */
type StepTaken = Taken & { readonly learningRate: number; readonly text: TextLength | null };

type TrainOutcome = {
  readonly weights: NamedArrays;
  readonly result: TrainResult;
  /** The held-out loss of these weights by parts of the text. */
  readonly parts: HeldOutParts;
};

/** Trains, and returns the best weights by held-out loss; resumes from the slot's latest checkpoint if there is one. */
export async function trainBase(options: TrainOptions): Promise<TrainOutcome> {
  const { model, trainTokens, valTokens } = options;
  requireBlock(trainTokens, model.block_size, 'training text');
  requireBlock(valTokens, model.block_size, 'held-out text');
  return runPhase(options, (session, saved) => baseTraining(options, session, saved));
}

/** The network in the session, at its beginning or as a checkpoint has it, which holds what learns. */
function placeWeights({ model, seed, from, env }: TrainOptions, session: Session, saved: Checkpoint | null) {
  const start = () => initialWeights(model, seed, from);
  const begin = model.lora || !saved ? { ...start(), ...saved?.weights } : saved.weights;
  const isNarrow = keptNarrow(model, readingPrecision(env.runtime, model));
  const parameters = createParameters(session, begin, '', isNarrow);
  const trained = trainedOf(model, parameters);
  // What nobody learns is not kept beside the session: it is what it was given as, or is made again.
  return { start, parameters, trained, frozen: () => (model.lora ? frozenOf(model, start()) : {}) };
}

function baseTraining(
  options: TrainOptions,
  session: Session,
  saved: Checkpoint | null,
): TrainingPhase<TrainState, TrainConfig, StepTaken, TrainOutcome> {
  const { model, train, trainTokens, valTokens, vocabulary, env, average: averageDecay = 0 } = options;
  const { batch_size, gradient_accumulation_steps, eval_iters, eval_interval, patience, min_delta } = train;
  const [began, precision] = [env.now(), trainingPrecision(env.runtime, model)];
  if (!saved && precision === 'bf16' && env.runtime.precision === 'auto') env.emit(bfloat16Chosen);
  const { start, frozen, parameters, trained } = placeWeights(options, session, saved);
  const averages = averageDecay > 0 ? createAverages(session, trained, saved?.optimizer) : null;
  const learned = { parameters, trained, averages, averageDecay, recomputation: recomputationIn(options) };
  const update = createTrainStep(session, { ...options, ...learned, tokens: trainTokens, precision }, saved?.optimizer);
  /** The weights that are evaluated and kept. */
  const outcome = averages ?? trained;
  const reader = { ...parameters, ...outcome };
  const evaluator = createEvaluator(session, model, reader, env, { vocabulary });
  const sampler = vocabulary ? options.createSampler?.(session, { ...options, vocabulary }, reader, env) : null;
  const maxWindows = eval_iters === null ? Infinity : eval_iters * batch_size;
  const stepTokens = batch_size * model.block_size * gradient_accumulation_steps;
  const rule = { patience, minDelta: min_delta, better: 'lower' } as const;
  const noted = (saved?.state ?? {}) as Partial<TrainState>;
  let config = configOf(train, noted);
  update.dropOut(noted.dropout ?? model.dropout);

  return {
    name: 'base_training',
    get config() {
      return config;
    },
    initialState: () => ({ step: 0, evaluatedAt: 0, bestStep: 0, stopping: initialEarlyStopping, finished: null }),
    async begin(state) {
      await sampler?.write(0);
      const parts = { began, session, trained, averages, update, evaluator, maxWindows };
      const planned = train.train_minutes === null ? {} : { planned: await planSteps({ ...options, ...parts }) };
      config = configOf(train, planned);
      const found = { ...planned, ...dropOutWhatSuits(options, config, update) };
      return Object.keys(found).length === 0 ? state : { ...state, ...found };
    },
    arrays: () => ({
      weights: readOnDemand(session, trained),
      optimizer: { ...update.optimizer.read(), ...readAverages(session, averages) },
    }),
    maxSteps: ({ max_iters }) => max_iters,
    async step({ step }, config) {
      const learningRate = learningRateAt(step, config);
      return { ...(await update.take(step, learningRate)), learningRate };
    },
    advance: (state) => ({ ...state, step: state.step + 1 }),
    evaluation: {
      interval: eval_interval,
      measure: ({ step }, last) => measured(evaluator, sampler, { valTokens, maxWindows, step, last }),
      stopping: {
        weights: outcome,
        record: (state, loss, last) => recordEvaluation(rule, state, loss, last),
        notice: (state) => endNotice(state, train),
      },
    },
    logInterval: ({ log_interval }) => log_interval,
    row: (taken) => rowOf(taken, stepTokens),
    describe: ({ loss }) => `loss ${loss.toFixed(3)}`,
    work: { tokens: stepTokens, operations: stepTokens * trainingFlops(model), precision },
    explain: ({ loss }, latest) =>
      whatWentWrong({
        model,
        weights: { ...frozen(), ...(latest?.weights ?? start()) },
        loss,
        moments: update.optimizer.read(),
      }),
    async finish({ state, best, steps, seconds }) {
      writeParameters(session, outcome, best);
      const heldOut = await evaluator.evaluate(valTokens);
      const result = resultOf(state, heldOut, seconds > 0 ? (steps * stepTokens) / seconds : 0);
      return { weights: { ...frozen(), ...best }, result, parts: heldOut.parts };
    },
  };
}

/** What the backward pass computes again here. */
function recomputationIn({
  model,
  train,
  createSampler,
  env: { memory = Infinity, team, runtime },
}: TrainOptions): Recomputation {
  const samples = createSampler ? SAMPLES_WRITTEN : 0;
  const { rows, bytesFor } = trainingBatch(model, { ...train, samples }, team);
  return recomputationOf(bytesFor(rows, { precision: runtime.precision }) > memory);
}

/** Drops out what suits a text that is read so often, and tells it; nothing where that is what the model drops out anyway. */
function dropOutWhatSuits(
  { model, trainTokens, isDropoutFixed = false, env }: TrainOptions,
  config: TrainConfig,
  update: ReturnType<typeof createTrainStep>,
): Pick<TrainState, 'dropout'> {
  const passes = passesThrough(config, model, trainTokens.length);
  const dropout = isDropoutFixed ? model.dropout : suitedDropout(model, passes);
  if (dropout === model.dropout) return {};
  env.emit(dropoutNotice(dropout, passes));
  update.dropOut(dropout);
  return { dropout };
}

const configOf = (train: TrainConfig, { planned }: Partial<TrainState>): TrainConfig =>
  planned === undefined ? train : fittedTo(train, planned);

async function measured(
  evaluator: ReturnType<typeof createEvaluator>,
  sampler: Sampler | null | undefined,
  {
    valTokens,
    maxWindows,
    step,
    last,
  }: Record<'maxWindows' | 'step', number> & Pick<TrainOptions, 'valTokens'> & { readonly last: boolean },
): Promise<{ readonly loss: number; readonly row: Row }> {
  const { loss, perplexity, ...others } = await evaluator.evaluate(valTokens, maxWindows);
  const byText = lossByText(others, (name) => `val_${name}`);
  const words = sampler?.due(step, last) ? { words_known: await sampler.write(step) } : {};
  return { loss, row: { val_loss: loss, val_perplexity: perplexity, ...byText, ...words } };
}

/** The minutes in steps. What timing moved, the weights and what the optimizer remembers, is put back. */
async function planSteps({
  model,
  train,
  valTokens,
  env,
  began,
  session,
  trained,
  averages,
  update,
  evaluator,
  maxWindows,
}: TrainOptions & {
  readonly began: number;
  readonly session: Session;
  readonly trained: Parameters;
  readonly averages: Parameters | null;
  readonly update: ReturnType<typeof createTrainStep>;
  readonly evaluator: ReturnType<typeof createEvaluator>;
  readonly maxWindows: number;
}): Promise<number> {
  const minutes = train.train_minutes ?? 0;
  const all = Math.ceil((valTokens.length - 1) / model.block_size);
  const beginning = readParameters(session, trained);
  const steps = await stepsForMinutes({
    minutes,
    began,
    env,
    agreed: (number) => (env.team ? firstOf(env.team, number) : Promise.resolve(number)),
    evalInterval: train.eval_interval,
    blockSize: model.block_size,
    windows: { each: Math.min(maxWindows, all), last: all },
    step: () => update.take(0, 0),
    evaluate: (windows) => evaluator.evaluate(valTokens, windows),
  });
  if (steps === null) throw stopped(0);
  update.optimizer.reset();
  // An average begins as the weights.
  for (const parameters of averages ? [trained, averages] : [trained]) writeParameters(session, parameters, beginning);
  env.emit(minutesNotice(minutes, steps));
  return steps;
}

/** Rank 0's number. */
async function firstOf(team: Team, number: number): Promise<number> {
  const told = await team.share(team.rank === 0 ? new TextEncoder().encode(String(number)) : null);
  return Number(new TextDecoder().decode(told));
}

/** Why it is over, as its log says it: null after the last step, where that one's model is kept. */
function endNotice({ step, bestStep, finished }: TrainState, { min_delta, patience }: TrainConfig): string | null {
  if (finished === 'patience')
    return `Stopped early at step ${step}: the held-out loss has not improved by ${min_delta} in ${patience} evaluations.`;
  if (bestStep === step) return null;
  return `Took all of its ${step} steps; the model of step ${bestStep}, which had the lowest held-out loss, is kept.`;
}

/** @param tokens that a step predicts */
function rowOf({ loss, gradNorm, learningRate, text }: StepTaken, tokens: number): Row {
  const { nats_per_character } = textLoss(loss * tokens, tokens, text);
  const byCharacter = nats_per_character === undefined ? {} : { nats_per_character };
  return { loss, ...byCharacter, grad_norm: gradNorm, learning_rate: learningRate };
}

/** @param heldOut of the weights that are kept, on the whole split */
const resultOf = (state: TrainState, heldOut: Evaluation, tokensPerSecond: number): TrainResult => ({
  val_loss: heldOut.loss,
  perplexity: heldOut.perplexity,
  ...lossByText(heldOut),
  tokens_per_second: tokensPerSecond,
  iterations: state.step,
  best_iteration: state.bestStep,
  stopped_because: state.finished ?? 'max_iters',
  ...(state.planned === undefined ? {} : { planned_steps: state.planned }),
  ...(state.dropout === undefined ? {} : { dropout: state.dropout }),
});
