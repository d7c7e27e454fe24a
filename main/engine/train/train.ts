/**
 * Base training, cycle 0: next-token prediction with AdamW until the held-out loss no longer improves (specification 5.1).
 * `verisim train --data_path input.txt --preset tiny`. The loop is nanoGPT's:
 *
 *     while step < max_iters:
 *         rate = learningRateAt(step)                          schedule.ts
 *         batch = getBatch(step)                               dataset.ts
 *         loss, gradients = nextTokenLoss(trunk(batch))        train-step.ts
 *         AdamW(gradients, rate)                               optimizer.ts
 *         if step % eval_interval == 0: evaluate, store the best weights, stop early
 *
 * `runPhase` (phase.ts) runs it: it resumes, saves checkpoints, logs, and applies live settings. What base training adds:
 *
 * - adapters and weights to begin from (`placeWeights`), and an average of the weights (weight-average.ts)
 * - gradient accumulation, and several processes (train-step.ts, parallel/)
 * - minutes instead of steps, planned again as they pass, and dropout by passes (plan.ts, planned-steps.ts)
 * - samples that the model writes at evaluations (generate/samples.ts)
 * - a diagnosis of divergence (divergence.ts), and recomputation if memory is short (`recomputationIn`)
 */
import { SAMPLES_WRITTEN, type Recomputation, type TrainConfig } from '../../../shared/config/train.js';
import { localized } from '../../../shared/messages/message.js';
import { recomputationOf, trainingBatch } from '../../../shared/costs/memory.js';
import { heldOutTokens } from '../../../shared/costs/held-out.js';
import { trainingFlops } from '../../../shared/costs/network.js';
import type { Extended } from '../control.js';
import { frozenOf, shouldStoreAsBfloat16, trainedOf } from '../model/adapters.js';
import { createParameters, initialWeights, readOnDemand, writeParameters } from '../model/model.js';
import { bfloat16Chosen, readingPrecision, trainingPrecision } from '../model/precision.js';
import type { Session } from '../runtime/types.js';
import type { Checkpoint, NamedArrays } from '../types.js';
import { requireBlock } from './dataset.js';
import { diagnoseDivergence } from './divergence.js';
import { initialEarlyStopping, recordEvaluation } from './early-stopping.js';
import { createEvaluator } from './perplexity.js';
import { runPhase, type TrainingPhase } from './phase.js';
import { measureBefore, planDropout } from './plan.js';
import { createPlannedSteps } from './planned-steps.js';
import { learningRateAt } from './schedule.js';
import { endNotice, evaluationRow, stepRow, trainResult, type TrainStepResult } from './train-report.js';
import { createTrainStep } from './train-step.js';
import type { TrainOptions, TrainOutcome, TrainState } from './train-types.js';
import { createAverages, readAverages } from './weight-average.js';

/** Trains, and returns the best weights by held-out loss; resumes from the slot's latest checkpoint if there is one. */
export async function trainBase(options: TrainOptions): Promise<TrainOutcome> {
  const { model, trainTokens, valTokens } = options;
  requireBlock(trainTokens, model.block_size, 'train');
  requireBlock(valTokens, model.block_size, 'val');
  return runPhase(options, (session, saved) => baseTraining(options, session, saved));
}

function baseTraining(
  options: TrainOptions,
  session: Session,
  saved: Checkpoint | null,
): TrainingPhase<TrainState, TrainConfig & Extended, TrainStepResult, TrainOutcome> {
  const { model, train, valTokens, from, env, began = env.now() } = options;
  const { parameters, trained, averages, networkWith } = placeWeights(options, session, saved);
  const { update, precision } = createUpdate(options, session, { parameters, trained, averages }, saved);
  /** The weights that are evaluated and stored. */
  const outcome = averages ?? trained;
  const { evaluator, sampler } = createReaders(options, session, { ...parameters, ...outcome });
  const stepTokens = train.batch_size * model.block_size * train.gradient_accumulation_steps;
  const resumed = (saved?.state ?? {}) as Partial<TrainState>;
  const steps = createPlannedSteps(options, resumed);
  const measuredAtEnd = () => options.measuredTokens ?? heldOutTokens(model, steps.first).last;

  return {
    name: 'base_training',
    get config() {
      return steps.config;
    },
    initialState: () => ({ step: 0, evaluatedAt: 0, bestStep: 0, stopping: initialEarlyStopping, finished: null }),
    async begin(state) {
      const written = await sampler?.write(0, from !== undefined);
      const planned = await steps.plan({ began, session, trained, averages, update, evaluator, written });
      const before =
        written && from ? { before: await measureBefore(options, evaluator, measuredAtEnd(), written.samples) } : {};
      const started = { ...before, ...planned, ...planDropout(options, steps.config) };
      if (started.dropout !== undefined) update.dropOut(started.dropout);
      return Object.keys(started).length === 0 ? state : { ...state, ...started };
    },

    // The step.
    maxSteps: ({ max_iters }) => max_iters,
    async step({ step }, config) {
      const learningRate = learningRateAt(step, config);
      return { ...(await steps.timed(() => update.take(step, learningRate))), learningRate };
    },
    advance: (state) => ({ ...state, step: state.step + 1 }),
    adjust: (state) => steps.replan(state),

    // Its evaluation, and when to stop.
    evaluation: {
      get interval() {
        return steps.config.eval_interval;
      },
      async measure({ step, stopping: { best } }, last) {
        const heldOut = await evaluator.evaluate(valTokens, heldOutTokens(model, train).each);
        const isBest = heldOut.loss < (best ?? Infinity);
        const { words } = sampler?.due(step, last, isBest) ? await sampler.write(step, last) : {};
        return { loss: heldOut.loss, row: { ...evaluationRow(heldOut), ...words } };
      },
      stopping: {
        weights: outcome,
        record: (state, loss, last) =>
          recordEvaluation({ patience: train.patience, minDelta: train.min_delta, better: 'lower' }, state, loss, last),
        notice: (state) => endNotice(state, train),
      },
    },

    // Its log, checkpoints and result.
    logInterval: ({ log_interval }) => log_interval,
    row: (result) => stepRow(result, stepTokens),
    describe: ({ loss }) => localized('train.progress', { loss }),
    work: { tokens: stepTokens, operations: stepTokens * trainingFlops(model), precision },
    arrays: () => ({
      weights: readOnDemand(session, trained),
      optimizer: { ...update.optimizer.read(), ...readAverages(session, averages) },
    }),
    explain: ({ loss }, latest) =>
      diagnoseDivergence({ model, weights: networkWith(latest?.weights), loss, moments: update.optimizer.read() }),
    async finish({ state, state: { before, wentOn = false }, best, steps: taken, seconds }) {
      writeParameters(session, outcome, best);
      const heldOut = await evaluator.evaluate(valTokens, measuredAtEnd());
      const result = trainResult(state, heldOut, seconds > 0 ? (taken * stepTokens) / seconds : 0, valTokens.length);
      const samples = await sampler?.wholeAt(state.bestStep);
      return { weights: networkWith(best), result, parts: heldOut.parts, samples, wentOn, ...(before && { before }) };
    },
  };
}

/** Uploads the initial network, or a checkpoint's; a checkpoint stores only what learns. */
function placeWeights(
  { model, seed, from, average = 0, env }: TrainOptions,
  session: Session,
  saved: Checkpoint | null,
) {
  const start = () => initialWeights(model, seed, from);
  const begin = model.lora || !saved ? { ...start(), ...saved?.weights } : saved.weights;
  const isNarrow = shouldStoreAsBfloat16(model, readingPrecision(env.runtime, model));
  const parameters = createParameters(session, begin, '', isNarrow);
  const trained = trainedOf(model, parameters);
  const averages = average > 0 ? createAverages(session, trained, saved?.optimizer) : null;
  /** Completes the weights that learn, by default the initial ones: frozen ones are as given, or are drawn again. */
  const networkWith = (learned?: NamedArrays): NamedArrays => ({
    ...(model.lora ? frozenOf(model, start()) : {}),
    ...(learned ?? start()),
  });
  return { parameters, trained, averages, networkWith };
}

type Placed = Pick<ReturnType<typeof placeWeights>, 'parameters' | 'trained' | 'averages'>;

function createUpdate(options: TrainOptions, session: Session, placed: Placed, saved: Checkpoint | null) {
  const { model, trainTokens, average = 0, env } = options;
  const precision = trainingPrecision(env.runtime, model);
  if (!saved && precision === 'bf16' && env.runtime.precision === 'auto') env.emit(bfloat16Chosen);
  const learning = { ...placed, averageDecay: average, recomputation: recomputationIn(options), precision };
  const update = createTrainStep(session, { ...options, ...learning, tokens: trainTokens }, saved?.optimizer);
  update.dropOut((saved?.state as Partial<TrainState> | undefined)?.dropout ?? model.dropout);
  return { update, precision };
}

function createReaders(options: TrainOptions, session: Session, reader: Placed['parameters']) {
  const { model, vocabulary, createSampler, env } = options;
  return {
    evaluator: createEvaluator(session, model, reader, env, { vocabulary }),
    sampler: vocabulary ? createSampler?.(session, { ...options, vocabulary }, reader, env) : null,
  };
}

function recomputationIn({ model, train, createSampler, env }: TrainOptions): Recomputation {
  const { memory = Infinity, team, runtime } = env;
  const samples = createSampler ? SAMPLES_WRITTEN : 0;
  const { rows, bytesFor } = trainingBatch(model, { ...train, samples }, team);
  return recomputationOf(bytesFor(rows, { precision: runtime.precision }) > memory);
}
