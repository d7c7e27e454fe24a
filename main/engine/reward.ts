/**
 * The reward model (seed 000, part 4, step 2): says what fraction of a passage is natural. As the seeds have it, it is
 * the generator's frozen trunk with a small head that is trained; the other kinds (reward-scorer.ts) learn by the same
 * loop, but for the critic, of which only the temperature is fitted.
 */
import * as tf from '@tensorflow/tfjs';
import type { UserError } from '../../shared/errors.js';
import { usesCritic, type GPTConfig } from '../../shared/config/model.js';
import type { RewardModelConfig } from '../../shared/config/reward-model.js';
import { directed } from './control.js';
import { crossoversOf, fitEvidenceScale } from './crossover.js';
import { diverged, lookAtGradients, MOST_STEPS_AGAIN } from './divergence.js';
import { initialEarlyStopping, isToBeSaved, judged, type EarlyStoppingState } from './early-stopping.js';
import {
  createParameters,
  initialWeights,
  parameterOf,
  readParameters,
  writeParameters,
  type Parameters,
} from './model.js';
import { selectPrefix, withPrefix } from './named-arrays.js';
import { createAdamW, gradientsOf } from './optimizer.js';
import { createProgress } from './progress.js';
import { createObjective } from './reward-objectives.js';
import { judgeRewardModel, type RewardReport } from './reward-report.js';
import { createRewardScorer, firstColumn, type WriterModel } from './reward-scorer.js';
import { permutation, streams } from './rng.js';
import type { Session } from './runtime/types.js';
import { stopped } from './train.js';
import type { CheckpointSlot, Environment, NamedArrays, RewardSamples } from './types.js';

const BEST = 'best.';

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

export interface RewardModelOptions extends LanguageModel {
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

/** Names of the parameters that train: the head, and the last `unfreeze` blocks with what comes after them. */
export function trainedNames(config: GPTConfig, unfreeze: number, names: readonly string[]): string[] {
  const first = Math.max(0, config.n_layer - unfreeze);
  return names.filter((name) => {
    if (name.startsWith('reward_')) return true;
    if (unfreeze === 0) return false;
    if (name.startsWith('transformer.ln_f.')) return true;
    const block = /^transformer\.h\.(\d+)\./.exec(name)?.[1];
    return block !== undefined && Number(block) >= first;
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
  // As in the seeds unless another is asked for: such a model's file names neither.
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
  const { valSamples, seed, env } = options;
  const { model, weights } = rewardModelStart(options);
  const session = env.runtime.createSession();
  try {
    const written: GPTConfig = { ...options.model, dropout: 0 };
    // Only the kinds that compare need the generator a second time.
    const generator = usesCritic(model.reward_kind) ? createParameters(session, options.weights, 'generator.') : {};
    const writer = { model: written, parameters: generator, temperature: options.temperature ?? 1 };
    const truth = firstColumn(valSamples.y(0, valSamples.numSamples));
    if (model.reward_kind === 'critic') {
      const parameters = createParameters(session, weights);
      const { scale, predictions } = await fitCritic(options, session, model, parameters, writer);
      const facts = { seed, kind: 'critic', scale, iterations: 0, bestIteration: 0, stoppedBecause: 'fitted' } as const;
      const report = judgeRewardModel(predictions, truth, facts);
      return { model, weights: readParameters(session, parameters), report, predictions };
    }
    return await trainByGradient(options, session, { model, weights }, writer, truth);
  } finally {
    session.dispose();
  }
}

/** Passages between two looks at whether the person wants to stop. */
const FITTING_CHUNK = 1024;

/** A critic has nothing to learn: only how far to believe it is fitted, on the training samples. */
async function fitCritic(
  { trainSamples, valSamples, env }: RewardModelOptions,
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  writer: WriterModel,
) {
  const T = model.block_size;
  const scorer = createRewardScorer(session, model, parameters, env, writer);
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
  session.write(parameterOf(parameters, 'reward_evidence.weight'), Float32Array.of(scale));
  const predictions = await scorer.score(valSamples.x(0, valSamples.numSamples));
  env.emit({ event: 'metrics', phase: 'reward_model', step: 0, values: { evidence_scale: scale } });
  if (env.stop.requested) throw stopped(0);
  return { scale, predictions };
}

async function trainByGradient(
  { trainSamples, valSamples, config, seed, slot, env }: RewardModelOptions,
  session: Session,
  start: LanguageModel,
  writer: WriterModel,
  truth: Float32Array,
): Promise<RewardModelResult> {
  const { model } = start;
  const { reward_kind: kind = 'head' } = model;
  const saved = await slot.latest();
  const begin = saved?.weights ?? start.weights;
  const parameters = createParameters(session, begin);
  const names = trainedNames(model, config.reward_unfreeze, Object.keys(parameters));
  const trained: Parameters = Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));

  const adam = { weightDecay: config.reward_weight_decay, gradClip: 0 };
  const optimizer = createAdamW(session, trained, adam, saved?.optimizer);
  const samples = { trainSamples, valSamples };
  const objective = await createObjective({ session, model, parameters, config, ...samples, writer, env });
  const lossGradients = (...inputs: readonly tf.Tensor[]) => gradientsOf(() => objective.loss(inputs), trained);
  const trainStep = session.compile<readonly tf.Tensor[], readonly [tf.Tensor, tf.Tensor]>(
    (...args) => {
      const [scalars, ...inputs] = args as readonly [tf.Tensor, ...tf.Tensor[]];
      const { value, gradients } = lossGradients(...inputs);
      return [value, optimizer.apply(gradients, scalars)];
    },
    { name: 'reward_step' },
  );

  let state: RewardState = (saved?.state as RewardState | undefined) ?? {
    step: 0,
    bestStep: 0,
    stopping: initialEarlyStopping,
    finished: null,
  };
  let best = selectPrefix(saved?.optimizer ?? {}, BEST) ?? readParameters(session, trained);
  const save = () =>
    slot.save(
      {
        weights: { ...begin, ...readParameters(session, trained) },
        optimizer: { ...optimizer.read(), ...withPrefix(best, BEST) },
        state,
      },
      state.step,
    );
  // Kinds that learn from labels are stopped by what they are for: the squared error of the fraction.
  const measure = kind === 'head' ? config.reward_loss : 'mse';
  // What holds for the step at hand: how long it goes on may change while it runs.
  let now = directed(env, config, state.step).config;
  const evaluate = async (values: { readonly loss?: number }) => {
    const valLoss = lossOf(await objective.predict(), truth, measure);
    const rule = { patience: config.reward_patience, minDelta: config.reward_min_delta, better: 'lower' } as const;
    const update = judged(rule, state, valLoss, state.step >= now.reward_max_iters);
    if (update.isBest) best = readParameters(session, trained);
    state = update.state;
    const { step } = state;
    env.emit({ event: 'metrics', phase: 'reward_model', step, values: { ...values, val_loss: valLoss } });
  };
  const progress = createProgress(env, 'reward_model', 'steps', now.reward_max_iters);
  const batches = createEpochs(trainSamples.numSamples, config.reward_batch_size, seed);
  const takeStep = (step: number) => {
    const inputs = objective.inputs(batches(step));
    const scalars = optimizer.scalars(step + 1, config.reward_learning_rate);
    const [lossTensor, normTensor] = trainStep(scalars, ...inputs);
    const loss = lossTensor.dataSync()[0] ?? NaN;
    const gradNorm = normTensor.dataSync()[0] ?? NaN;
    tf.dispose([...inputs, scalars, lossTensor, normTensor]);
    return { loss, gradNorm };
  };
  /** The fault of a step that failed: takes those before it again, from the last good state, and looks. */
  const explained = async (failed: number): Promise<UserError> => {
    const good = await slot.latest();
    const from = Number(good?.state['step'] ?? 0);
    if (failed - from > MOST_STEPS_AGAIN) return diverged('reward_model', failed + 1, good !== null);
    writeParameters(session, parameters, good?.weights ?? start.weights);
    optimizer.write(good?.optimizer);
    for (let again = from; again < failed; again++) takeStep(again);
    const inputs = objective.inputs(batches(failed));
    const words = lookAtGradients({ session, model, parameters, lossGradients }, inputs);
    tf.dispose(inputs);
    return diverged('reward_model', failed + 1, good !== null, words);
  };

  while (state.finished === null && state.step < now.reward_max_iters) {
    const { config: here, skip } = directed(env, config, state.step);
    now = here;
    if (env.stop.requested) {
      await save();
      throw stopped(state.step);
    }
    if (skip) {
      if (state.step % config.reward_eval_interval !== 0) await evaluate({});
      state = { ...state, finished: 'asked' };
      await save();
      break;
    }
    const { loss, gradNorm } = takeStep(state.step);
    if (!Number.isFinite(loss) || !Number.isFinite(gradNorm)) throw await explained(state.step);
    state = { ...state, step: state.step + 1 };
    progress.update(state.step, `loss ${loss.toFixed(4)}`, now.reward_max_iters);

    if (state.step % config.reward_eval_interval === 0 || state.step >= now.reward_max_iters) {
      await evaluate({ loss });
      if (isToBeSaved(state, slot)) await save();
    }
    await env.breathe();
  }
  writeParameters(session, trained, best);
  const predictions = await objective.predict();
  const report = judgeRewardModel(predictions, truth, {
    seed,
    kind,
    scale: null,
    iterations: state.step,
    bestIteration: state.bestStep,
    stoppedBecause: state.finished ?? 'max_iters',
  });
  return { model, weights: { ...begin, ...best }, report, predictions };
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
