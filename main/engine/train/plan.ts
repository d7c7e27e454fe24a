/** What base training decides before its first step: its steps, if minutes are set, and its dropout. */
import type { TrainConfig } from '../../../shared/config/train.js';
import { dropoutNotice, passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { readParameters, writeParameters, type Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import { minutesNotice, stepsForMinutes } from './minutes.js';
import type { createEvaluator } from './perplexity.js';
import { stopped } from './phase.js';
import type { createTrainStep } from './train-step.js';
import type { TrainOptions, TrainState } from './train-types.js';

interface Timing {
  readonly began: number;
  readonly session: Session;
  readonly trained: Parameters;
  readonly averages: Parameters | null;
  readonly update: ReturnType<typeof createTrainStep>;
  readonly evaluator: ReturnType<typeof createEvaluator>;
  readonly maxWindows: number;
}

/** Turns the minutes into steps, by timing some. Weights and moments are restored afterwards. */
export async function planSteps(
  { model, train, valTokens, env }: TrainOptions,
  { began, session, trained, averages, update, evaluator, maxWindows }: Timing,
): Promise<Pick<TrainState, 'planned'>> {
  if (train.train_minutes === null) return {};
  const minutes = train.train_minutes;
  const all = Math.ceil((valTokens.length - 1) / model.block_size);
  const beginning = readParameters(session, trained);
  const planned = await stepsForMinutes({
    minutes,
    began,
    env,
    agreed: (number) => (env.team ? firstRanks(env.team, number) : Promise.resolve(number)),
    evalInterval: train.eval_interval,
    blockSize: model.block_size,
    windows: { each: Math.min(maxWindows, all), last: all },
    step: () => update.take(0, 0),
    evaluate: (windows) => evaluator.evaluate(valTokens, windows),
  });
  if (planned === null) throw stopped(0);
  update.optimizer.reset();
  // An average begins as the weights.
  for (const parameters of averages ? [trained, averages] : [trained]) writeParameters(session, parameters, beginning);
  env.emit(minutesNotice(minutes, planned));
  return { planned };
}

/** Rank 0's number. */
async function firstRanks(team: Team, number: number): Promise<number> {
  const bytes = await team.share(team.rank === 0 ? new TextEncoder().encode(String(number)) : null);
  return Number(new TextDecoder().decode(bytes));
}

/** The dropout that suits how often the text is read, with a notice; none if that is the network's own. */
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
