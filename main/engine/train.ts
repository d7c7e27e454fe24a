/**
 * Base training, cycle 0: next-token prediction with AdamW until the held-out loss no longer improves
 * (seed 000, part 4, "Cycle 0"; the loop is nanoGPT's). `verisim train --data_path input.txt --preset tiny`.
 */
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../shared/errors.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { TrainConfig } from '../../shared/config/train.js';
import { directed } from './control.js';
import { requireBlock } from './dataset.js';
import { diverged, lookAtGradients, MOST_STEPS_AGAIN } from './divergence.js';
import { initialEarlyStopping, isToBeSaved, judged, type EarlyStoppingState } from './early-stopping.js';
import { trainingFlops } from './flops.js';
import { createParameters, initialWeights, readParameters, writeParameters } from './model.js';
import { selectPrefix, withPrefix } from './named-arrays.js';
import { createEvaluator } from './perplexity.js';
import { bfloat16Chosen, trainingPrecision } from './precision.js';
import { createProgress } from './progress.js';
import { learningRateAt } from './schedule.js';
import { createThroughput } from './throughput.js';
import { createTrainStep, type Batch } from './train-step.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from './types.js';
import { createAverages, readAverages } from './weight-average.js';

export interface TrainResult {
  /** Cross-entropy over the whole held-out split of the weights that are kept, in nats per token. */
  readonly val_loss: number;
  readonly perplexity: number;
  readonly tokens_per_second: number;
  readonly iterations: number;
  readonly best_iteration: number;
  readonly stopped_because: 'max_iters' | 'patience' | 'asked';
}

export interface TrainOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  readonly slot: CheckpointSlot;
  /** Begin from these instead of fresh ones (fine-tuning). */
  readonly from?: NamedArrays;
  /** Evaluate and keep a running average of the weights, of which this share stays at each step; 0 or none: the weights. */
  readonly average?: number;
  readonly env: Environment;
}

/** A type, not an interface, so that it is JSON for the checkpoint. */
type TrainState = {
  readonly step: number;
  /** The step of the last evaluation: a stop in the middle of one repeats it. */
  readonly evaluatedAt: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: TrainResult['stopped_because'] | null;
};

const BEST = 'best.';

/** Trains, and returns the best weights by held-out loss; goes on from the slot's latest checkpoint if there is one. */
export async function trainBase(options: TrainOptions): Promise<{ weights: NamedArrays; result: TrainResult }> {
  const { model, seed, trainTokens, valTokens, slot, env } = options;
  requireBlock(trainTokens, model.block_size, 'training text');
  requireBlock(valTokens, model.block_size, 'held-out text');
  const saved = await slot.latest();
  const precision = trainingPrecision(env.runtime, model);
  if (!saved && precision === 'bf16' && env.runtime.precision === 'auto') env.emit(bfloat16Chosen);
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, saved?.weights ?? initialWeights(model, seed, options.from));
    const decay = options.average ?? 0;
    const averages = decay > 0 ? createAverages(session, parameters, saved?.optimizer) : null;
    const step = createTrainStep(
      session,
      {
        ...{ model, train: options.train, seed, tokens: trainTokens, precision },
        ...{ parameters, averages, averageDecay: decay },
      },
      saved?.optimizer,
    );
    /** The weights that are evaluated and kept. */
    const outcome = averages ?? parameters;
    const evaluator = createEvaluator(session, model, outcome, env);
    const { eval_iters, batch_size } = options.train;
    const maxWindows = eval_iters === null ? Infinity : eval_iters * batch_size;

    let state: TrainState = (saved?.state as TrainState | undefined) ?? {
      step: 0,
      evaluatedAt: 0,
      bestStep: 0,
      stopping: initialEarlyStopping,
      finished: null,
    };
    let best = selectPrefix(saved?.optimizer ?? {}, BEST) ?? readParameters(session, outcome);
    const started = { step: state.step, at: env.now() };
    // What holds for the step at hand: settings may change while it runs.
    let { config: train, skip } = directed(env, options.train, state.step);
    const progress = createProgress(env, 'base_training', 'steps', train.max_iters);
    const stepTokens = batch_size * model.block_size * options.train.gradient_accumulation_steps;
    const stepWork = { tokens: stepTokens, operations: stepTokens * trainingFlops(model) };
    const throughput = createThroughput(env, stepWork, precision);

    const save = () =>
      slot.save(
        {
          weights: readParameters(session, parameters),
          optimizer: {
            ...step.optimizer.read(),
            ...withPrefix(best, BEST),
            ...readAverages(session, averages),
          },
          state,
        },
        state.step,
      );

    const evaluate = async () => {
      const { loss, perplexity } = await evaluator.evaluate(valTokens, maxWindows);
      const rule = { patience: train.patience, minDelta: train.min_delta, better: 'lower' } as const;
      const update = judged(rule, { ...state, evaluatedAt: state.step }, loss, state.step >= train.max_iters);
      if (update.isBest) best = readParameters(session, outcome);
      state = update.state;
      env.emit({
        event: 'metrics',
        phase: 'base_training',
        step: state.step,
        values: { val_loss: loss, val_perplexity: perplexity },
      });
      if (state.finished === 'patience') {
        const words = `Stopped early at step ${state.step}: the held-out loss has not improved by ${train.min_delta} in ${train.patience} evaluations.`;
        env.emit({ event: 'notice', level: 'info', code: 'early_stopping', message: words });
      }
    };

    /** The fault of a step that failed: takes those before it again, from the last good state, and looks. */
    const explained = async (failed: number): Promise<UserError> => {
      const good = await slot.latest();
      const from = Number(good?.state['step'] ?? 0);
      if (failed - from > MOST_STEPS_AGAIN) return diverged('base_training', failed + 1, good !== null);
      writeParameters(session, parameters, good?.weights ?? initialWeights(model, seed, options.from));
      step.optimizer.write(good?.optimizer);
      for (let again = from; again < failed; again++) {
        step.take(again, learningRateAt(again, directed(env, options.train, again).config));
      }
      const batches = step.batchesOf(failed);
      const lossGradients = (...batch: readonly tf.Tensor[]) => step.lossGradients(...(batch as Batch));
      const look = { session, model, parameters, lossGradients };
      const words = batches.map((batch) => lookAtGradients(look, batch)).find((found) => found !== null);
      tf.dispose(batches.flat());
      return diverged('base_training', failed + 1, good !== null, words);
    };

    const evaluationDue = () =>
      state.evaluatedAt < state.step &&
      (state.step % train.eval_interval === 0 || skip || state.step >= train.max_iters);

    while (state.finished === null && (state.step < train.max_iters || evaluationDue())) {
      ({ config: train, skip } = directed(env, options.train, state.step));
      try {
        if (env.stop.requested) throw stopped(state.step);
        if (evaluationDue()) {
          await evaluate();
          if (isToBeSaved(state, slot)) await save();
          continue;
        }
        if (skip) {
          state = { ...state, finished: 'asked' };
          await save();
          break;
        }
      } catch (error) {
        if (env.stop.requested) await save();
        throw error;
      }
      const learningRate = learningRateAt(state.step, train);
      const { loss, gradNorm } = throughput.timed(() => step.take(state.step, learningRate));
      if (!Number.isFinite(loss) || !Number.isFinite(gradNorm)) throw await explained(state.step);
      state = { ...state, step: state.step + 1 };

      if (state.step % train.log_interval === 0 || state.step === train.max_iters) {
        env.emit({
          event: 'metrics',
          phase: 'base_training',
          step: state.step,
          values: { loss, grad_norm: gradNorm, learning_rate: learningRate, ...throughput.speed() },
        });
      }
      progress.update(state.step, `loss ${loss.toFixed(3)}`, train.max_iters);
      await env.breathe();
    }

    const seconds = (env.now() - started.at) / 1000;
    const tokens = (state.step - started.step) * stepTokens;
    writeParameters(session, outcome, best);
    const whole = await evaluator.evaluate(valTokens);
    return {
      weights: best,
      result: {
        val_loss: whole.loss,
        perplexity: whole.perplexity,
        tokens_per_second: seconds > 0 ? tokens / seconds : 0,
        iterations: state.step,
        best_iteration: state.bestStep,
        stopped_because: state.finished ?? 'max_iters',
      },
    };
  } finally {
    session.dispose();
  }
}

export function stopped(step: number): UserError {
  return new UserError({
    code: 'stopped',
    message: `Stopped at step ${step}, with a checkpoint.`,
    hint: 'Run the same command again to go on from here.',
  });
}
