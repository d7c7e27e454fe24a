/**
 * What base training does before its first step: it decides its steps, if minutes are set, and its dropout, and measures its model.
 * For minutes (`train_minutes`), some steps that learn nothing and some held-out text are timed. The resulting steps are stored
 * in the checkpoint; a run that resumes takes these, however fast it is then. A run that does not is planned again as it goes
 * (planned-steps.ts).
 */
import { count, localized } from '../../../shared/messages/message.js';
import { readingSteps, secondsForSteps, type TrainConfig } from '../../../shared/config/train.js';
import { heldOutTokens, readAtMost, stepsWithin } from '../../../shared/costs/held-out.js';
import { dropoutNotice, passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { readParameters, writeParameters, type Parameters } from '../model/model.js';
import { lossByText, type BeforeTraining } from '../../../shared/reports/report.js';
import type { Session } from '../runtime/types.js';
import type { Environment } from '../types.js';
import type { createEvaluator } from './perplexity.js';
import { stopped } from './phase.js';
import { evaluationRow } from './train-report.js';
import type { createTrainStep } from './train-step.js';
import type { Sampler, TrainOptions, TrainState } from './train-types.js';

/** Seconds for which steps are timed, the share of the minutes that this may take, and the least and most steps. */
const TIMED_SECONDS = 3;
const TIMED_SHARE = 0.05;
const [FEWEST, MOST] = [2, 50];
/** Largest share of the steps for warm-up. */
const WARM_UP = 0.1;
/** Tokens of held-out text that are timed at most. */
const READ_TOKENS = 16_384;

/** Tokens of held-out text to read at an evaluation, and after the last of so many steps. */
interface Reading {
  readonly each: number;
  /** Seconds of the samples at an evaluation, and after the last step. */
  readonly samples: Readonly<Record<'each' | 'last', number>>;
  /** @param done steps that were taken before: what is measured before the first is measured */
  last(steps: number, done: number): number;
}

/** Returns the seconds of so many steps with their evaluations. @param speed seconds of a step and of reading a token */
export const secondsOfSteps = (
  steps: number,
  speed: Readonly<Record<'step' | 'token', number>>,
  reading: Reading,
  evalInterval: number,
  done = 0,
): number =>
  steps * speed.step +
  evaluationsIn(steps, evalInterval) * (reading.each * speed.token + reading.samples.each) +
  (reading.samples.last - reading.samples.each) +
  reading.last(done + steps, done) * speed.token;

/** The last step is always evaluated, and none shortly before it. */
const evaluationsIn = (steps: number, interval: number): number => Math.max(1, Math.round(steps / interval));

/** Fits learning-rate schedule and evaluations to so many steps. */
export const fittedTo = (train: TrainConfig, steps: number): TrainConfig => ({
  ...train,
  max_iters: steps,
  warmup_iters: Math.min(train.warmup_iters, Math.ceil(WARM_UP * steps)),
  eval_interval: Math.ceil(steps / evaluationsIn(steps, train.eval_interval)),
});

interface Timed {
  readonly minutes: number;
  /** The minutes count from here. */
  readonly began: number;
  readonly evalInterval: number;
  readonly reading: Reading;
  /** Most steps that the text is worth. */
  readonly most: number;
  /** Takes a step that learns nothing; the first compiles. */
  step(): Promise<unknown>;
  evaluate(tokens: number): Promise<unknown>;
  readonly env: Environment;
}

/** Steps that fit into minutes. */
export interface Plan {
  readonly steps: number;
  /** Most steps that the text is worth. */
  readonly most: number;
  /** Seconds of a step when it was timed. */
  readonly step: number;
  /** When the minutes are over. */
  readonly endsAt: number;
  /** Returns how many steps fit into so many seconds after the first `done` ones, if they take as long as when they were timed. */
  stepsWithin(seconds: number, done: number): number;
}

/** @returns the steps that fit; null if the user requested a stop */
export async function stepsForMinutes(timed: Timed): Promise<Plan | null> {
  const { minutes, began, evalInterval, reading, most: worth, env } = timed;
  await timed.step();
  await timed.evaluate(1);
  const most = Math.min(TIMED_SECONDS, TIMED_SHARE * minutes * 60);
  const startedAt = env.now();
  const passed = () => (env.now() - startedAt) / 1000;
  const hasTime = async () => (await agreed(env, Number(passed() < most))) === 1;
  const taken: number[] = [];
  while (taken.length < FEWEST || (taken.length < MOST && (await hasTime()))) {
    if (env.stop.requested) return null;
    const stepAt = env.now();
    await timed.step();
    taken.push((env.now() - stepAt) / 1000);
    await env.yieldToEventLoop();
  }
  const step = medianOf(taken);
  const read = Math.min(reading.each, READ_TOKENS);
  const readAt = env.now();
  await timed.evaluate(read);
  const token = (env.now() - readAt) / 1000 / read;
  const left = secondsForSteps(minutes, (env.now() - began) / 1000);
  const endsAt = env.now() + 1000 * left;
  const fitting = (seconds: number, done: number) =>
    stepsWithin(seconds, (steps) => secondsOfSteps(steps, { step, token }, reading, evalInterval, done));
  const steps = await agreed(env, Math.min(fitting(left, 0), worth));
  return { steps, most: worth, step, endsAt, stepsWithin: fitting };
}

/** The lesser of two: other programs that disturb a step for a moment must not halve the training. */
export const medianOf = (seconds: readonly number[]): number =>
  seconds.toSorted((a, b) => a - b)[Math.floor((seconds.length - 1) / 2)] ?? NaN;

/** Returns rank 0's number: every rank has its own clock, and all must take the same steps. */
export async function agreed({ team }: Environment, number: number): Promise<number> {
  if (!team) return number;
  const bytes = await team.share(team.rank === 0 ? new TextEncoder().encode(String(number)) : null);
  return Number(new TextDecoder().decode(bytes));
}

export interface Parts {
  readonly began: number;
  readonly session: Session;
  readonly trained: Parameters;
  readonly averages: Parameters | null;
  readonly update: ReturnType<typeof createTrainStep>;
  readonly evaluator: ReturnType<typeof createEvaluator>;
  /** The first samples; undefined if none are written. */
  readonly written: Pick<Awaited<ReturnType<Sampler['write']>>, 'seconds'> | undefined;
}

/** Converts the minutes to steps, and restores weights and moments after the timed steps. @returns null without minutes */
export async function planSteps(
  { model, train, trainTokens, valTokens, from, env }: TrainOptions,
  { began, session, trained, averages, update, evaluator, written }: Parts,
): Promise<Plan | null> {
  if (train.train_minutes === null) return null;
  const minutes = train.train_minutes;
  const read = (most: number) => readAtMost(model, valTokens.length, most);
  const beginning = await readParameters(session, trained);
  const plan = await stepsForMinutes({
    minutes,
    began,
    env,
    evalInterval: train.eval_interval,
    reading: {
      each: read(heldOutTokens(model, train).each),
      samples: written?.seconds ?? { each: 0, last: 0 },
      // A model that could write is measured before the first step, too.
      last: (steps, done) =>
        (from && done === 0 ? 2 : 1) * read(heldOutTokens(model, { ...train, max_iters: steps }).last),
    },
    most: from === undefined ? Infinity : readingSteps(train, model.block_size, trainTokens.length),
    step: () => update.take(0, 0),
    evaluate: (tokens) => evaluator.evaluate(valTokens, tokens),
  });
  if (plan === null) throw stopped(0);
  update.optimizer.reset();
  // Averages begin as the weights.
  for (const parameters of averages ? [trained, averages] : [trained]) writeParameters(session, parameters, beginning);
  const message =
    plan.steps === plan.most
      ? localized('train.readings', { steps: count(plan.steps), minutes })
      : localized('train.minutes', { minutes, steps: count(plan.steps) });
  env.emit({ event: 'notice', level: 'info', code: 'train_minutes', message });
  return plan;
}

/** Chooses the dropout that suits how often the text is read, with a notice; none if that is the network's own. */
export function planDropout(
  { model, trainTokens, isDropoutFixed = false, env }: TrainOptions,
  config: TrainConfig,
): Pick<TrainState, 'dropout'> {
  const passes = passesThrough(config, model, trainTokens.length);
  const dropout = isDropoutFixed ? model.dropout : suitedDropout(model, passes);
  if (dropout === model.dropout) return {};
  env.emit(dropoutNotice(dropout, passes));
  return { dropout };
}

/** Measures the initial model: what a model that could write before has gained is the difference to it. */
export async function measureBefore(
  { valTokens, env }: TrainOptions,
  evaluator: Parts['evaluator'],
  most: number,
  samples: BeforeTraining['samples'],
): Promise<BeforeTraining> {
  const { loss, perplexity, parts, ...heldOut } = await evaluator.evaluate(valTokens, most);
  const values = { ...evaluationRow({ loss, perplexity, ...heldOut }), num_tokens: 0 };
  env.emit({ event: 'metrics', phase: 'base_training', step: 0, seconds_computed: 0, values });
  return { val_loss: loss, perplexity, ...lossByText(heldOut), held_out_parts: parts, samples };
}
