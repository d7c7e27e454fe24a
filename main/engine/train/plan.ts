/**
 * What base training decides before its first step: its steps, if minutes are set, and its dropout.
 * For minutes (`train_minutes`), some steps that learn nothing and some held-out text are timed. The resulting steps are stored
 * in the checkpoint; a run that resumes takes these, however fast it is then.
 */
import { count, localized } from '../../../shared/messages/message.js';
import { MOST_READINGS, readingSteps, type TrainConfig } from '../../../shared/config/train.js';
import { heldOutWindow, measuredWindows } from '../../../shared/config/model.js';
import { dropoutNotice, passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { readParameters, writeParameters, type Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { Environment } from '../types.js';
import type { createEvaluator } from './perplexity.js';
import { stopped } from './phase.js';
import type { createTrainStep } from './train-step.js';
import type { TrainOptions, TrainState } from './train-types.js';

/** Seconds for which steps are timed, the share of the minutes that this may take, and the least and most steps. */
const TIMED_SECONDS = 3;
const TIMED_SHARE = 0.05;
const [FEWEST, MOST] = [2, 50];
/** Largest share of the steps for warm-up. */
const WARM_UP = 0.1;
/** Tokens of held-out text that are timed. */
const READ_TOKENS = 16_384;

/** Windows of held-out text to read at an evaluation, and after the last step. */
interface Windows {
  readonly each: number;
  readonly last: number;
}

/**
 * Returns how many steps fit with their evaluations; at least one.
 * @param speed seconds of a step and of reading a window
 */
export function stepsWithin(
  seconds: number,
  speed: Readonly<Record<'step' | 'window', number>>,
  windows: Windows,
  evalInterval: number,
): number {
  const each = windows.each * speed.window;
  // The last step is always evaluated.
  const left = seconds - windows.last * speed.window - each;
  return Math.max(1, Math.floor(left / (speed.step + each / evalInterval)));
}

/** Fits the learning-rate schedule to so many steps. */
export const fittedTo = (train: TrainConfig, steps: number): TrainConfig => ({
  ...train,
  max_iters: steps,
  warmup_iters: Math.min(train.warmup_iters, Math.ceil(WARM_UP * steps)),
});

interface Timed {
  readonly minutes: number;
  /** When training began: the minutes count from here. */
  readonly began: number;
  readonly evalInterval: number;
  readonly blockSize: number;
  readonly windows: Windows;
  /** Takes a step that learns nothing; the first compiles. */
  step(): Promise<unknown>;
  evaluate(windows: number): Promise<unknown>;
  readonly env: Environment;
}

/** @returns the steps that fit; null if the user requested a stop */
export async function stepsForMinutes(timed: Timed): Promise<number | null> {
  const { minutes, began, evalInterval, blockSize, windows, env } = timed;
  await timed.step();
  await timed.evaluate(1);
  const most = Math.min(TIMED_SECONDS, TIMED_SHARE * minutes * 60);
  const startedAt = env.now();
  const passed = () => (env.now() - startedAt) / 1000;
  const hasTime = async () => (await agreed(env, Number(passed() < most))) === 1;
  let taken = 0;
  while (taken < FEWEST || (taken < MOST && (await hasTime()))) {
    if (env.stop.requested) return null;
    await timed.step();
    taken += 1;
    await env.yieldToEventLoop();
  }
  const step = passed() / taken;
  const read = Math.max(1, Math.min(windows.last, Math.ceil(READ_TOKENS / blockSize)));
  const readAt = env.now();
  await timed.evaluate(read);
  const window = (env.now() - readAt) / 1000 / read;
  const left = minutes * 60 - (env.now() - began) / 1000;
  return agreed(env, stepsWithin(left, { step, window }, windows, evalInterval));
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
  readonly maxWindows: number;
}

/** Converts the minutes to steps, and restores weights and moments after the timed steps. */
export async function planSteps(
  { model, train, trainTokens, valTokens, from, env }: TrainOptions,
  { began, session, trained, averages, update, evaluator, maxWindows }: Parts,
): Promise<Pick<TrainState, 'planned'>> {
  if (train.train_minutes === null) return {};
  const minutes = train.train_minutes;
  const blocks = (most: number) =>
    Math.ceil((measuredWindows(model, valTokens.length, most) * heldOutWindow(model)) / model.block_size);
  const beginning = readParameters(session, trained);
  const fitting = await stepsForMinutes({
    minutes,
    began,
    env,
    evalInterval: train.eval_interval,
    blockSize: model.block_size,
    windows: { each: blocks(maxWindows), last: blocks(Infinity) },
    step: () => update.take(0, 0),
    evaluate: (windows) => evaluator.evaluate(valTokens, windows),
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
