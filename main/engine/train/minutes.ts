/**
 * Training for so many minutes instead of so many steps (`train_minutes`): some steps that learn nothing and a stretch of
 * held-out text are timed first, and the rest of the minutes is turned into steps. These are noted with the run's progress,
 * and from then on are all that counts: a run that resumes takes the steps that were noted, however fast it goes then.
 */
import { localized } from '../../../shared/messages/message.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Environment } from '../types.js';

/** Seconds in which steps are timed, at most; and at least and at most so many of them. */
const TIMED_SECONDS = 3;
const [FEWEST, MOST] = [2, 50];
/** Of the minutes, that timing may take. */
const TIMED_SHARE = 0.05;
/** Of the steps, that the learning rate rises over at most. */
const WARM_UP = 0.1;
/** Tokens of held-out text that are read to know how fast it is read. */
const READ_TOKENS = 16_384;

/** Seconds. */
interface Speed {
  readonly step: number;
  /** Reading a window of held-out text. */
  readonly window: number;
}

/** Windows of held-out text that are read at an evaluation, and after the last step. */
interface Windows {
  readonly each: number;
  readonly last: number;
}

/** How many steps fit, their evaluations included; at least one. @param seconds that are left */
export function stepsWithin(seconds: number, speed: Speed, windows: Windows, evalInterval: number): number {
  const each = windows.each * speed.window;
  // The last step is evaluated wherever it falls.
  const left = seconds - windows.last * speed.window - each;
  return Math.max(1, Math.floor(left / (speed.step + each / evalInterval)));
}

/** The schedule of so many steps. */
export const fittedTo = (train: TrainConfig, steps: number): TrainConfig => ({
  ...train,
  max_iters: steps,
  warmup_iters: Math.min(train.warmup_iters, Math.ceil(WARM_UP * steps)),
});

interface Timed {
  readonly minutes: number;
  /** When training began: what has passed since counts. */
  readonly began: number;
  readonly evalInterval: number;
  readonly blockSize: number;
  readonly windows: Windows;
  /** Takes a step that learns nothing; the first compiles. */
  step(): Promise<unknown>;
  evaluate(windows: number): Promise<unknown>;
  /** Of several processes, each with a clock of its own, what rank 0 has found: they have to take the same steps. */
  agreed(number: number): Promise<number>;
  readonly env: Environment;
}

/** @returns the steps; null when it was asked to stop */
export async function stepsForMinutes(timed: Timed): Promise<number | null> {
  const { minutes, began, evalInterval, blockSize, windows, env } = timed;
  await timed.step();
  await timed.evaluate(1);
  const most = Math.min(TIMED_SECONDS, TIMED_SHARE * minutes * 60);
  const steps = { taken: 0, began: env.now() };
  const passed = () => (env.now() - steps.began) / 1000;
  const isTime = async () => (await timed.agreed(Number(passed() < most))) === 1;
  while (steps.taken < FEWEST || (steps.taken < MOST && (await isTime()))) {
    if (env.stop.requested) return null;
    await timed.step();
    steps.taken += 1;
    await env.yieldToEventLoop();
  }
  const step = passed() / steps.taken;
  const read = Math.max(1, Math.min(windows.last, Math.ceil(READ_TOKENS / blockSize)));
  const reading = env.now();
  await timed.evaluate(read);
  const window = (env.now() - reading) / 1000 / read;
  const left = minutes * 60 - (env.now() - began) / 1000;
  return timed.agreed(stepsWithin(left, { step, window }, windows, evalInterval));
}

export const minutesNotice = (minutes: number, steps: number): JobEvent => ({
  event: 'notice',
  level: 'info',
  code: 'train_minutes',
  message: localized('train.minutes_plural_one_other_steps', { minutes, steps: steps.toLocaleString('en-US') }),
});
