/**
 * Measures a cycle's control: what training on would have given for a share of the cycle's work, by the project's judge.
 * Work is counted in operations, so that the same settings give the same bytes on every machine.
 */
import type { ControlReport } from '../../../shared/reports/report.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { controlSteps } from '../../../shared/costs/phases.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import { nothingKept, type Environment } from '../types.js';
import { withinEvaluation } from './cycle-phase.js';
import type { Project, StoredModel } from './cycle-types.js';
import { judgePassages, type JudgedPassages, type JudgementOptions } from './judgement.js';
import { trainOn } from './training-on.js';

/** Evaluations of the held-out text while training on, of which the best is used. */
const EVALUATIONS = 8;
/** Seeds the control apart from base training. */
const SEED_OFFSET = 2 ** 42;

/** A generator and its loss on the whole held-out text; null if that is not a number. */
export interface BeforeCycle extends StoredModel {
  readonly val_loss: number | null;
}

interface ControlOptions {
  readonly cycle: number;
  /** Generator that the cycle started with. */
  readonly before: BeforeCycle;
  /** What the judge finds of the generator that the cycle ended with. */
  readonly after: JudgedPassages;
  readonly judgeName: string;
  readonly judging: JudgementOptions;
  readonly env: Environment;
}

export async function controlOf(project: Project, options: ControlOptions): Promise<ControlReport> {
  const { before, after, judging } = options;
  const onward = await trainedInstead(project, options);
  const first = await judgePassages(before, judging);
  const trained = await judgePassages(onward.model, judging);
  return {
    judge: options.judgeName,
    share: project.config.control_share,
    cycle: gainOver(first, after),
    trained_on: { ...gainOver(first, trained), steps: onward.steps, val_loss: onward.val_loss },
    lead: gainOver(trained, after),
    variety: { before: varietyOf(first), after: varietyOf(after) },
  };
}

const varietyOf = ({ judgement }: JudgedPassages): number => judgement.distinct_3 ?? NaN;

/** Nats per token by which the judge finds the second writing likelier, over passages after the same prompts. */
function gainOver(first: JudgedPassages, second: JudgedPassages): ControlReport['cycle'] {
  const gains = first.nats.map((nats, row) => nats - (second.nats[row] ?? NaN));
  return { gain: mean(gains), interval: meanInterval(gains) };
}

/** Trains the generator on for the share of the cycle's work, and gently for as long if that finds nothing better. */
async function trainedInstead({ config, tokens }: Project, { cycle, before, env }: ControlOptions) {
  const plan = { config, model: before.model, tokens: { train: tokens.train.length, val: tokens.val.length } };
  const steps = controlSteps(plan, cycle);
  const inside = withinEvaluation(env);
  // Takes minutes at most, so it starts over after a stop. Its notices are about no training of the project.
  const shared = {
    config,
    steps,
    before,
    evaluations: EVALUATIONS,
    patience: EVALUATIONS,
    tokens: { train: tokens.train, val: tokens.val, text: tokens.train },
    seed: config.seed + SEED_OFFSET + cycle * 2 ** 32,
    slot: nothingKept,
    env: { ...inside, emit: (event: JobEvent) => void (event.event === 'notice' || inside.emit(event)) },
  };
  const asBefore = await trainOn({ ...shared, pace: 'as_before' });
  const { weights, val_loss } =
    asBefore.val_loss < (before.val_loss ?? Infinity) ? asBefore : await trainOn({ ...shared, pace: 'gently' });
  return { model: { model: before.model, weights }, steps, val_loss };
}
