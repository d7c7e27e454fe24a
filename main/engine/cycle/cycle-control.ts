/**
 * Measures a cycle's control: what training on would have gained with a share of the cycle's work, by the project's judge. Work
 * is counted in operations, so that the same settings give the same bytes on every machine.
 */
import type { ControlReport } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { heldOutTokens } from '../../../shared/costs/held-out.js';
import { controlSteps } from '../../../shared/costs/phases.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import { trainBase } from '../train/train.js';
import { nothingKept, type Environment, type LanguageModel } from '../types.js';
import { withinEvaluation } from './cycle-phase.js';
import { cycleSeed, type Project } from './cycle-types.js';
import { judgeName } from './scoring-models.js';
import { judgePassages, type JudgedPassages, type JudgementOptions } from './judgement.js';

/** Evaluations of the held-out text while training on; the best one's weights are the result. */
const EVALUATIONS = 8;
/** Separates the control's seeds from base training's. */
const SEED_OFFSET = 2 ** 42;
const GENTLE = 0.1;

/** A generator and its loss on the whole held-out text; null if that is not a number. */
export type BeforeCycle = LanguageModel & { readonly val_loss: number | null };

interface ControlOptions {
  readonly cycle: number;
  readonly before: BeforeCycle;
  /** The judgement of the generator that the cycle ended with. */
  readonly after: JudgedPassages;
  readonly judging: JudgementOptions;
}

export async function controlOf(project: Project, options: ControlOptions): Promise<ControlReport> {
  const { before, after, judging } = options;
  const onward = await trainOn(project, options);
  const first = await judgePassages(before, judging);
  const trained = await judgePassages({ model: before.model, weights: onward.weights }, judging);
  return {
    judge: judgeName,
    share: project.config.control_share,
    cycle: gainOver(first, after),
    trained_on: { ...gainOver(first, trained), steps: onward.steps, val_loss: onward.val_loss },
    lead: gainOver(trained, after),
    variety: { before: varietyOf(first), after: varietyOf(after) },
  };
}

const varietyOf = ({ judgement }: JudgedPassages): number => judgement.distinct_3 ?? NaN;

/** Computes by how many nats per token the judge prefers the second writing, over passages after the same prompts. */
function gainOver(first: JudgedPassages, second: JudgedPassages): ControlReport['cycle'] {
  const gains = first.nats.map((nats, row) => nats - (second.nats[row] ?? NaN));
  return { gain: mean(gains), interval: meanInterval(gains) };
}

/**
 * Trains the generator on for the share of the cycle's work with base training's recipe, and gently for as long if that finds
 * nothing better. A model that has finished learning its text loses by steps of base training's size, and gains by a tenth of its
 * rate with averaged weights as much as by two cycles of GRPO's text mix (docs/method.md).
 */
async function trainOn({ config, tokens }: Project, { cycle, before, judging }: ControlOptions) {
  const { model, weights: from } = before;
  const steps = controlSteps({ config, model, tokens: { train: tokens.train.length, val: tokens.val.length } }, cycle);
  const inside = withinEvaluation(judging.env);
  const shared = {
    seed: cycleSeed(config.seed + SEED_OFFSET, cycle),
    trainTokens: tokens.train,
    valTokens: tokens.val,
    measuredTokens: heldOutTokens(model, config).last,
    isDropoutFixed: true,
    from,
    // Takes minutes at most, so it starts over after a stop. Its notices do not concern the project's training.
    slot: nothingKept,
    env: { ...inside, emit: (event) => void (event.event === 'notice' || inside.emit(event)) } satisfies Environment,
  };
  // The passes of base training count too.
  const passes = passesThrough({ ...config, max_iters: config.max_iters + steps }, model, tokens.train.length);
  const trained = await trainBase({
    ...shared,
    model: { ...model, dropout: suitedDropout(model, passes) },
    train: settingsOf(config, steps, 1),
  });
  const isBetter = trained.result.val_loss < (before.val_loss ?? Infinity);
  // Without dropout, as GRPO takes its steps.
  const gentle = { ...shared, model: { ...model, dropout: 0 }, average: config.policy_average };
  const { weights, result } = isBetter
    ? trained
    : await trainBase({ ...gentle, train: settingsOf(config, steps, GENTLE) });
  return { weights, steps, val_loss: result.val_loss };
}

/** @param pace share of the learning rates */
function settingsOf(config: ProjectConfig, steps: number, pace: number): ProjectConfig {
  return {
    ...config,
    max_iters: steps,
    train_minutes: null,
    patience: EVALUATIONS,
    eval_interval: Math.max(1, Math.ceil(steps / EVALUATIONS)),
    warmup_iters: Math.min(config.warmup_iters, Math.ceil(steps / 10)),
    learning_rate: pace * config.learning_rate,
    min_lr: pace * config.min_lr,
  };
}
