/**
 * The reward model (specification 5.3): says what fraction of a passage is natural. As the specification has it, it is
 * the generator's frozen trunk with a small head that is trained; the other kinds (reward-scorer.ts) learn by the same
 * loop, but for the critic, of which only the temperature is fitted.
 */
import type * as tf from '@tensorflow/tfjs';
import { declarationOf, isFrozen, isRewardHead } from '../../../shared/architectures/index.js';
import { usesCritic, type GPTConfig, type RewardKind } from '../../../shared/config/model.js';
import type { RewardModelConfig } from '../../../shared/config/reward-model.js';
import type { RewardReport } from '../../../shared/reports/report.js';
import { createBeside, frozenOf, trainedOf, type Placed } from '../model/adapters.js';
import {
  createParameters,
  initialWeights,
  parameterOf,
  readOnDemand,
  writeParameters,
  type Parameters,
} from '../model/model.js';
import { permutation, streams } from '../rng.js';
import { disposeTrees, takeScalars } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { asFirstHas } from '../team.js';
import { whatWentWrong } from '../train/divergence.js';
import { initialEarlyStopping, recordEvaluation, type EarlyStoppingState } from '../train/early-stopping.js';
import { gradientsOf } from '../train/gradients.js';
import { createAdamW } from '../train/optimizer.js';
import { runPhase, stopped, type Taken, type TrainingPhase } from '../train/phase.js';
import { createProgress } from '../train/progress.js';
import type { Checkpoint, CheckpointSlot, Environment, NamedArrays, RewardSamples } from '../types.js';
import { crossoversOf, fitEvidenceScale } from './crossover.js';
import { createObjective, type RewardObjective } from './reward-objectives.js';
import { judgeRewardModel } from './reward-report.js';
import { createRewardScorer, firstColumn } from './reward-scorer.js';

export interface RewardModelResult {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly report: RewardReport;
  /** P(natural) of each validation sample, in their order: what `report` was made of. */
  readonly predictions: Float32Array;
}

/** A language model: its shape and its weights. */
export interface LanguageModel {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

interface RewardModelOptions extends LanguageModel {
  /** `model` and `weights` are the generator's that wrote the samples; without a critic the reward model begins there. */
  readonly critic?: LanguageModel;
  /** The temperature it wrote at. */
  readonly temperature?: number;
  readonly trainSamples: RewardSamples;
  readonly valSamples: RewardSamples;
  readonly config: RewardModelConfig;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

/** Names of the parameters that train: the head, and the last `unfreeze` blocks with what comes after them, or their adapters. */
export function trainedNames(config: GPTConfig, unfreeze: number, names: readonly string[]): string[] {
  const first = Math.max(0, config.n_layer - unfreeze);
  const declaration = declarationOf(config);
  return names.filter((name) => {
    if (isRewardHead(name)) return true;
    const block = unfreeze === 0 || isFrozen(config, name) ? null : declaration.blockOf(config, name);
    return block !== null && block >= first;
  });
}

/** A type, not an interface, so that it is JSON for the checkpoint. */
type RewardState = {
  readonly step: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: 'max_iters' | 'patience' | 'asked' | null;
};

/** The reward model before it has learned anything: the trunk it begins from, with a new head. */
export function rewardModelStart(
  options: Pick<RewardModelOptions, 'model' | 'weights' | 'critic' | 'config' | 'seed'>,
) {
  const { reward_kind, reward_pooling } = options.config;
  // As in the specification unless another is asked for: such a model's file names neither.
  const seeds = reward_kind === 'head' && reward_pooling === 'last';
  const from = usesCritic(reward_kind) ? options.critic : options;
  if (!from) throw new Error(`a reward model of kind ${reward_kind} needs a critic`);
  const { reward_head_hidden_dim } = options.model;
  const form = { reward_head_hidden_dim, ...(seeds ? {} : { reward_kind, reward_pooling }) };
  const model: GPTConfig = { ...from.model, ...form, mode: 'reward', dropout: 0 };
  return { model, weights: initialWeights(model, options.seed, from.weights) };
}

/** Trains a reward model and judges it on the validation samples. */
export async function trainRewardModel(options: RewardModelOptions): Promise<RewardModelResult> {
  const start = rewardModelStart(options);
  return start.model.reward_kind === 'critic'
    ? fitCritic(options, start)
    : runPhase(options, (session, saved) => rewardTraining(options, start, session, saved));
}

/** The generator that wrote the samples; only the kinds that compare need its weights. @param beside the reward model */
function writerOf(
  { model, weights, temperature = 1 }: RewardModelOptions,
  session: Session,
  kind: RewardKind,
  beside: Placed,
) {
  const parameters = usesCritic(kind) ? createBeside(session, model, weights, 'generator.', beside) : {};
  return { model: { ...model, dropout: 0 }, parameters, temperature };
}

const truthOf = (samples: RewardSamples): Float32Array => firstColumn(samples.y(0, samples.numSamples));

/** Passages between two looks at whether the person wants to stop. */
const FITTING_CHUNK = 1024;

const SCALE = 'reward_evidence.weight';

/**
 * A critic has nothing to learn: only how far to believe it is fitted, on the training samples. The fit is kept as a checkpoint,
 * so that a cycle that goes on with GRPO does not read all the samples again.
 */
async function fitCritic(options: RewardModelOptions, { model, weights }: LanguageModel): Promise<RewardModelResult> {
  const { valSamples, seed, slot } = options;
  const saved = await slot.latest();
  const known = saved?.state['scale'];
  const kept = saved?.optimizer?.['predictions'];
  // The first one says where the log was: a row that was told before the second is not there twice.
  if (saved === null) await slot.save({ weights: {}, state: { step: 0 } }, 0);
  const { scale, predictions } =
    typeof known === 'number' && kept
      ? { scale: known, predictions: kept.data }
      : await fittedScale(options, { model, weights });
  const facts = { seed, kind: 'critic', scale, iterations: 0, bestIteration: 0, stoppedBecause: 'fitted' } as const;
  const report = judgeRewardModel(predictions, truthOf(valSamples), facts);
  const believed = { shape: weights[SCALE]?.shape ?? [], data: Float32Array.of(scale) };
  return { model, weights: { ...weights, [SCALE]: believed }, report, predictions };
}

async function fittedScale(options: RewardModelOptions, { model, weights }: LanguageModel) {
  const { trainSamples, valSamples, slot, env } = options;
  const T = model.block_size;
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, weights);
    const scorer = createRewardScorer(
      session,
      model,
      parameters,
      env,
      writerOf(options, session, 'critic', { weights, parameters }),
    );
    const { numSamples } = trainSamples;
    const evidence = new Float32Array(numSamples * T);
    const progress = createProgress(env, 'reward_model', 'samples', numSamples);
    for (let first = 0; first < numSamples; first += FITTING_CHUNK) {
      if (env.stop.requested) throw stopped(0);
      const count = Math.min(FITTING_CHUNK, numSamples - first);
      evidence.set((await scorer.evidence?.(trainSamples.x(first, count))) ?? [], first * T);
      progress.update(first + count, 'reading what the generator wrote');
    }
    const scale = fitEvidenceScale(evidence, crossoversOf(trainSamples.y(0, numSamples), T));
    session.write(parameterOf(parameters, SCALE), Float32Array.of(scale));
    const predictions = await scorer.score(valSamples.x(0, valSamples.numSamples));
    env.emit({ event: 'metrics', phase: 'reward_model', step: 0, values: { evidence_scale: scale } });
    const arrays = { predictions: { shape: [predictions.length], data: predictions } };
    await slot.save({ weights: {}, optimizer: arrays, state: { step: 0, scale } }, 0);
    if (env.stop.requested) throw stopped(0);
    return { scale, predictions };
  } finally {
    session.dispose();
  }
}

async function rewardTraining(
  options: RewardModelOptions,
  start: LanguageModel,
  session: Session,
  saved: Checkpoint | null,
): Promise<TrainingPhase<RewardState, RewardModelConfig, Taken, RewardModelResult>> {
  const { trainSamples, valSamples, config, seed, env } = options;
  const { model } = start;
  const { reward_kind: kind = 'head' } = model;
  const begin = model.lora || !saved ? { ...start.weights, ...saved?.weights } : saved.weights;
  const frozen = frozenOf(model, begin);
  // Checkpoints hold what could learn; the rest is as it was.
  const kept = trainedOf(model, begin);
  const parameters = createParameters(session, begin);
  const names = trainedNames(model, config.reward_unfreeze, Object.keys(parameters));
  const trained: Parameters = Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));
  const samples = { trainSamples, valSamples };
  const writer = writerOf(options, session, kind, { weights: begin, parameters });
  const objective = await createObjective({ session, model, parameters, config, ...samples, writer, env });
  const update = createRewardStep(session, trained, objective, options, saved?.optimizer);
  const truth = truthOf(valSamples);
  // Its steps are small: every rank of a team takes all of them, and only what is decided by them is exchanged.
  const predict = async () => asFirstHas(env.team, await objective.predict());
  // Kinds that learn from labels are stopped by what they are for: the squared error of the fraction.
  const measure = kind === 'head' ? config.reward_loss : 'mse';
  const rule = { patience: config.reward_patience, minDelta: config.reward_min_delta, better: 'lower' } as const;

  return {
    name: 'reward_model',
    config,
    initialState: () => ({ step: 0, bestStep: 0, stopping: initialEarlyStopping, finished: null }),
    arrays: () => ({ weights: { ...kept, ...readOnDemand(session, trained) }, optimizer: update.optimizer.read() }),
    maxSteps: ({ reward_max_iters }) => reward_max_iters,
    step: ({ step }) => update.take(step),
    advance: (state) => ({ ...state, step: state.step + 1 }),
    evaluation: {
      interval: config.reward_eval_interval,
      async measure() {
        const loss = lossOf(await predict(), truth, measure);
        return { loss, row: { val_loss: loss } };
      },
      stopping: { weights: trained, record: (state, loss, last) => recordEvaluation(rule, state, loss, last) },
    },
    logInterval: () => config.reward_eval_interval,
    row: ({ loss }, _state, _config, measured) => ({ loss, ...measured }),
    describe: ({ loss }) => `loss ${loss.toFixed(4)}`,
    explain: ({ loss }, latest) =>
      whatWentWrong({
        model,
        weights: { ...frozen, ...(latest?.weights ?? start.weights) },
        loss,
        moments: update.optimizer.read(),
      }),
    async finish({ state, best }) {
      writeParameters(session, trained, best);
      const predictions = await predict();
      const { step: iterations, bestStep: bestIteration, finished } = state;
      const facts = { seed, kind, scale: null, iterations, bestIteration, stoppedBecause: finished ?? 'max_iters' };
      const report = judgeRewardModel(predictions, truth, facts);
      return { model, weights: { ...begin, ...best }, report, predictions };
    },
  };
}

/** One step of the kinds that learn by gradient, with the samples of its place in their epoch. */
function createRewardStep(
  session: Session,
  trained: Parameters,
  objective: RewardObjective,
  { trainSamples, config, seed }: RewardModelOptions,
  saved: NamedArrays | undefined,
) {
  const adam = { weightDecay: config.reward_weight_decay, gradClip: 0 };
  const optimizer = createAdamW(session, trained, adam, saved);
  type Inputs = ReturnType<typeof objective.inputs>;
  const update = session.compile(
    (inputs: Inputs, scalars: tf.Tensor) => {
      const { value, gradients } = gradientsOf(() => objective.loss(inputs), trained);
      return { loss: value, gradNorm: optimizer.apply(gradients, scalars) };
    },
    { name: 'reward_step' },
  );
  const batches = createEpochs(trainSamples.numSamples, config.reward_batch_size, seed);
  return {
    optimizer,
    take(step: number): Taken {
      const inputs = objective.inputs(batches(step));
      const scalars = optimizer.scalars(step + 1, config.reward_learning_rate);
      const numbers = takeScalars(update(inputs, scalars));
      disposeTrees(inputs, scalars);
      return numbers;
    },
  };
}

/** Rows of each step: the samples in a new random order every epoch, the short rest of an epoch left out. */
function createEpochs(count: number, batchSize: number, seed: number): (step: number) => number[] {
  const size = Math.min(batchSize, count);
  const perEpoch = Math.floor(count / size);
  let cached: { readonly epoch: number; readonly order: Uint32Array } | undefined;
  return (step) => {
    const epoch = Math.floor(step / perEpoch);
    if (cached?.epoch !== epoch) cached = { epoch, order: permutation(seed, streams.rewardBatch, epoch, count) };
    const first = (step % perEpoch) * size;
    return Array.from(cached.order.subarray(first, first + size));
  };
}

function lossOf(predictions: Float32Array, truth: Float32Array, kind: RewardModelConfig['reward_loss']): number {
  let sum = 0;
  for (let row = 0; row < truth.length; row++) {
    const p = predictions[row] ?? NaN;
    const t = truth[row] ?? NaN;
    sum +=
      kind === 'mse' ? (p - t) ** 2 : -(t * Math.log(Math.max(p, 1e-12)) + (1 - t) * Math.log(Math.max(1 - p, 1e-12)));
  }
  return sum / truth.length;
}
