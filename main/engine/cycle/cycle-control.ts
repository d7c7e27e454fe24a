/**
 * A cycle's own control: what its work would have given spent on training on, and what a lower temperature and leaving out
 * unlikely tokens give for nothing, by the project's judge, at equal variety. Training on takes a share of the cycle's work,
 * counted in operations, so that the same settings give the same bytes on every machine.
 */
import type { ControlReport, WritingPoint } from '../../../shared/report.js';
import type { JobEvent } from '../../../shared/events.js';
import { usualReading } from '../../../shared/config/generation.js';
import { controlSteps } from '../../../shared/costs/phases.js';
import type { LanguageModel } from '../reward/reward.js';
import { allRows, gainOver, lead, meanVariety, natsPerCharacter, type CurvePoint } from '../statistics/frontier.js';
import { createCopyIndex } from '../statistics/text-statistics.js';
import { nothingKept, type Environment } from '../types.js';
import { withinEvaluation } from './cycle-phase.js';
import type { Project, StoredModel } from './cycle-types.js';
import { trainOn } from './training-on.js';
import { createPassages, curveTo, type Passage, type Readers, type Surprise } from './passage-curves.js';

/** What is told of a lower temperature. */
const LOWER = 0.9;
/** Evaluations of the held-out text on the way, of which the best is kept. */
const EVALUATIONS = 8;
/** Noise of its own. */
const SEED_OFFSET = 2 ** 42;

/** A generator, and its loss of the whole held-out text; null where that is no number. */
export interface BeforeCycle extends StoredModel {
  readonly val_loss: number | null;
}

interface ControlOptions {
  readonly cycle: number;
  /** The generator that the cycle began with, and what it made of it. */
  readonly before: BeforeCycle;
  readonly after: StoredModel;
  readonly judge: LanguageModel & { readonly name: string };
  readonly env: Environment;
}

export async function controlOf(project: Project, options: ControlOptions): Promise<ControlReport> {
  const { config, tokens } = project;
  const { before, after, judge, env } = options;
  const onward = await trainedInstead(project, options);
  const passages = createPassages({
    judge: (written, readers) => surpriseBy(judge, written, readers),
    valTokens: tokens.val,
    trainTokens: tokens.train,
    copies: createCopyIndex(tokens.train),
    vocabulary: tokens,
    tokenization: tokens.method,
    vocabLimit: tokens.vocabSize,
    blockSize: before.model.block_size,
    passages: config.judge_passages,
    seed: config.seed,
    env,
  });
  try {
    const { temperature } = config;
    const begun = await passages.point({ writer: before }, temperature);
    const rows = allRows(begun.nats.length);
    const wanted = meanVariety(begun, rows);
    const cycles = await curveTo(wanted, passages, { writer: after });
    const trained = await curveTo(wanted, passages, { writer: onward.model });
    const likely = await curveTo(wanted, passages, { writer: before, topP: usualReading.top_p });
    const colder = await passages.point({ writer: before }, LOWER * temperature);
    const natural = await passages.natural();
    const below = pointOf(colder);
    const told = ({ mean, interval }: ReturnType<typeof gainOver>) => ({ gain: mean, interval });
    return {
      judge: judge.name,
      share: config.control_share,
      cycle: told(gainOver(begun, cycles, config.seed)),
      trained_on: { ...told(gainOver(begun, trained, config.seed)), steps: onward.steps, val_loss: onward.val_loss },
      lead: told(lead(begun, cycles, trained, config.seed)),
      temperature: {
        temperature: below.temperature,
        gain: natsPerCharacter(begun, rows) - below.nats_per_character,
        variety: below.variety,
      },
      top_p: {
        top_p: usualReading.top_p,
        ...told(gainOver(begun, likely, config.seed)),
        lead: told(lead(begun, cycles, likely, config.seed)),
      },
      variety: { before: wanted, after: meanVariety(cycles[0] ?? begun, rows) },
      curves: {
        before: [pointOf(begun), below],
        cycle: cycles.map(pointOf),
        trained_on: trained.map(pointOf),
        top_p: likely.map(pointOf),
        natural: [pointOf(natural)],
      },
    };
  } finally {
    passages.dispose();
  }
}

function pointOf(point: CurvePoint): WritingPoint {
  const rows = allRows(point.nats.length);
  const { temperature } = point;
  return { temperature, nats_per_character: natsPerCharacter(point, rows), variety: meanVariety(point, rows) };
}

/** The generator trained on for the share of the cycle's work; where that finds nothing better, gently for as long. */
async function trainedInstead({ config, tokens }: Project, { cycle, before, env }: ControlOptions) {
  const plan = { config, model: before.model, tokens: { train: tokens.train.length, val: tokens.val.length } };
  const steps = controlSteps(plan, cycle);
  const inside = withinEvaluation(env);
  // Minutes at most: when it is stopped, it begins again. What it says of itself is of no training that the project keeps.
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

/** Nats of what was written, and its characters, by a judge of the same tokens. */
async function surpriseBy(judge: LanguageModel, passages: readonly Passage[], readers: Readers): Promise<Surprise> {
  const T = judge.model.block_size;
  const ids = new Uint32Array(passages.length * T);
  passages.forEach((passage, row) => ids.set(passage.ids.subarray(0, T), row * T));
  const logProbs = await readers.logProbs(judge, ids, T);
  return {
    nats: Float64Array.from(passages, ({ given }, row) =>
      // Column t − 1 is the score of token t.
      logProbs.subarray(row * (T - 1) + given - 1, (row + 1) * (T - 1)).reduce((sum, one) => sum - one, 0),
    ),
    characters: Float64Array.from(passages, ({ completion }) => Math.max(1, [...completion].length)),
  };
}
