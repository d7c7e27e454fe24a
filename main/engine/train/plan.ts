/**
 * What base training does before its first step: it decides its steps, if minutes are set, and its dropout, and measures its model.
 * For minutes (`train_minutes`), some steps that learn nothing and some held-out text are timed. The resulting steps are stored
 * in the checkpoint; a run that resumes takes these, however fast it is then.
 */
import { count, localized } from '../../../shared/messages/message.js';
import { MOST_READINGS, readingSteps, secondsForSteps, type TrainConfig } from '../../../shared/config/train.js';
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
  last(steps: number): number;
}

/** Returns the seconds of so many steps with their evaluations. @param speed seconds of a step and of reading a token */
export const secondsOfSteps = (
  steps: number,
  speed: Readonly<Record<'step' | 'token', number>>,
  reading: Reading,
  evalInterval: number,
): number =>
  steps * speed.step +
  evaluationsIn(steps, evalInterval) * (reading.each * speed.token + reading.samples.each) +
  (reading.samples.last - reading.samples.each) +
  reading.last(steps) * speed.token;

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
  /** Takes a step that learns nothing; the first compiles. */
  step(): Promise<unknown>;
  evaluate(tokens: number): Promise<unknown>;
  readonly env: Environment;
}

/** @returns the steps that fit; null if the user requested a stop */
export async function stepsForMinutes(timed: Timed): Promise<number | null> {
  const { minutes, began, evalInterval, reading, env } = timed;
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
  // The median, the lesser of two: other programs that disturb a step for a moment must not halve the training.
  const step = taken.sort((a, b) => a - b)[Math.floor((taken.length - 1) / 2)] ?? passed();
  const read = Math.min(reading.each, READ_TOKENS);
  const readAt = env.now();
  await timed.evaluate(read);
  const token = (env.now() - readAt) / 1000 / read;
  const left = secondsForSteps(minutes, (env.now() - began) / 1000);
  const fitting = stepsWithin(left, (steps) => secondsOfSteps(steps, { step, token }, reading, evalInterval));
  return agreed(env, fitting);
}

/** Returns rank 0's number: every rank has its own clock, and all must take the same steps. */
async function agreed({ team }: Environment, number: number): Promise<number> {
  if (!team) return number;
  const bytes = await team.share(team.rank === 0 ? new TextEncoder().encode(String(number)) : null);
  return Number(new TextDecoder().decode(bytes));
}

interface Parts {
  readonly began: number;
  readonly session: Session;
  readonly trained: Parameters;
  readonly averages: Parameters | null;
  readonly update: ReturnType<typeof createTrainStep>;
  readonly evaluator: ReturnType<typeof createEvaluator>;
  /** The first samples; undefined if none are written. */
  readonly written: Pick<Awaited<ReturnType<Sampler['write']>>, 'seconds'> | undefined;
}

/** Converts the minutes to steps, and restores weights and moments after the timed steps. */
export async function planSteps(
  { model, train, trainTokens, valTokens, from, env }: TrainOptions,
  { began, session, trained, averages, update, evaluator, written }: Parts,
): Promise<Pick<TrainState, 'planned'>> {
  if (train.train_minutes === null) return {};
  const minutes = train.train_minutes;
  const read = (most: number) => readAtMost(model, valTokens.length, most);
  const beginning = await readParameters(session, trained);
  const fitting = await stepsForMinutes({
    minutes,
    began,
    env,
    evalInterval: train.eval_interval,
    reading: {
      each: read(heldOutTokens(model, train).each),
      samples: written?.seconds ?? { each: 0, last: 0 },
      // A model that could write is measured before the first step, too.
      last: (steps) => (from ? 2 : 1) * read(heldOutTokens(model, { ...train, max_iters: steps }).last),
    },
    step: () => update.take(0, 0),
    evaluate: (tokens) => evaluator.evaluate(valTokens, tokens),
  });
  if (fitting === null) throw stopped(0);
  const enough = from === undefined ? Infinity : readingSteps(train, model.block_size, trainTokens.length);
  const planned = Math.min(fitting, enough);
  update.optimizer.reset();
  // Averages begin as the weights.
  for (const parameters of averages ? [trained, averages] : [trained]) writeParameters(session, parameters, beginning);
  const message =
    planned < fitting
      ? localized('train.readings', { readings: MOST_READINGS, steps: count(planned), minutes })
      : localized('train.minutes', { minutes, steps: count(planned) });
  env.emit({ event: 'notice', level: 'info', code: 'train_minutes', message });
  return { planned };
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
