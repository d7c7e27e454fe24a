/**
 * Do the cycles pay? Every way to better writing that costs no more than the cycles did, each as a curve of quality over
 * variety, judged by a model of another text (docs/method.md).
 */
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';
import { allRows, meanVariety } from '../../../main/engine/statistics/frontier.js';
import type { LanguageModel } from '../../../main/engine/reward/reward.js';
import { kept, type StudiedProject } from '../studied.js';
import { createPassages, curveTo, type Way as WayOfWriting } from '../../../main/engine/cycle/passage-curves.js';
import { surpriseOf, type JudgeOfText } from './judge-of-text.js';
import { usualReading } from '../../../shared/config/generation.js';
import { adviceFor } from '../../../main/jobs/model-origin.js';
import { distilled, trainedOn, type Rival } from './rivals.js';
import type { StudyOptions } from '../options.js';
import { secondsOf } from './seconds.js';
import { distilledText } from './text-distillation.js';
import { frontierResult, gainsWith, pointFigures, type Way } from './summary.js';

/** Temperatures that every curve has, besides those that it needs. */
const BELOW = [0.8, 0.9] as const;

/** Passages to choose from, for best-of-n. */
const BEST_OF = 4;

export async function compareFrontier(
  studied: StudiedProject,
  judge: JudgeOfText,
  options: Pick<StudyOptions, 'quick' | 'rivals'> & {
    readonly passages: number;
    readonly say: (what: string) => void;
  },
) {
  const { folder, config, tokens, base, reports, env } = studied;
  const { say } = options;
  const last = reports.at(-1);
  // Where the critic did not lead, the cycles ended before the first: their writer is the base model.
  if (!last) throw new Error('there is no generator to judge');
  const seconds = secondsOf(folder);
  const rivals = await trainedRivals(studied, options);
  const passages = createPassages({
    judge: (written, readers) => surpriseOf(judge, written, readers),
    ...{ valTokens: tokens.val, trainTokens: tokens.train, copies: createCopyIndex(tokens.train) },
    vocabulary: studied.vocabulary,
    ...{ tokenization: studied.tokenization, vocabLimit: base.model.vocab_size, blockSize: base.model.block_size },
    ...{ passages: options.passages, seed: config.seed, env },
  });
  try {
    say('Writing at several temperatures');
    const natural = await passages.natural();
    const begun = await passages.point({ writer: base }, config.temperature);
    const wanted = meanVariety(begun, allRows(options.passages));
    const curveOf = (way: WayOfWriting) => curveTo(wanted, passages, way, options.quick ? [] : BELOW);
    const baseCurve = [begun];
    for (const lower of BELOW) baseCurve.push(await passages.point({ writer: base }, lower * config.temperature));
    // A lower temperature is another point of the base model's own curve: at equal variety it gives nothing.
    const written: Record<string, Way> = { temperature: { curve: baseCurve, size: 'same', isOffered: true } };
    for (const [name, { way, ...facts }] of Object.entries(waysOf(studied, rivals))) {
      say(`Writing: ${name}`);
      written[name] = { curve: await curveOf(way), ...facts };
    }
    say('Writing: the cycles');
    const cycles = await curveOf({ writer: studied.generator(last.name) });
    const bothWays = await curveOf({ writer: studied.generator(last.name), topP: usualReading.top_p });
    const result = frontierResult(begun, cycles, written, config.seed);
    const advice = adviceFor(config, tokens.train.length)?.advice ?? null;
    return {
      // What the cycles add for somebody who leaves out unlikely tokens either way.
      result: { ...result, with_top_p: gainsWith(begun, bothWays, written['top_p']?.curve ?? [], config.seed), advice },
      seconds,
      held_out: {
        base: reports[0]?.val_loss ?? null,
        cycles: last.val_loss,
        ...figuresOf(rivals, ({ val_loss: loss }) => loss),
        critic: (reports[0]?.val_loss ?? NaN) - (reports[1]?.critic?.lead_nats ?? NaN),
      },
      steps: figuresOf(rivals, ({ steps }) => steps),
      natural: pointFigures(natural),
      curves: Object.fromEntries(
        [
          ...Object.entries(written).map(([name, { curve: one }]) => [name, one] as const),
          ['cycles', cycles] as const,
          ['cycles_top_p', bothWays] as const,
        ].map(([name, points]) => [name, points.map(pointFigures)]),
      ),
    };
  } finally {
    passages.dispose();
  }
}

/** Those that have weights of their own, by name. */
type TrainedRivals = Readonly<Record<string, Rival>>;

const figuresOf = (rivals: TrainedRivals, figure: (rival: Rival) => number) =>
  Object.fromEntries(Object.entries(rivals).map(([name, rival]) => [name, figure(rival)]));

/** Each trained for the seconds that the cycles took. */
async function trainedRivals(
  studied: StudiedProject,
  { rivals, say }: Parameters<typeof compareFrontier>[2],
): Promise<TrainedRivals> {
  const seconds = secondsOf(studied.folder);
  const kept = (name: string, train: () => Promise<Rival>) => keptRival(studied, name, train);
  say('Training on instead of the cycles, for as long');
  const asBefore = await kept('trained-on', () => trainedOn('trainedOn', seconds, studied));
  say('Training on gently, for as long');
  const gently = await kept('trained-gently', () => trainedOn('trainedGently', seconds, studied));
  const onward = { trained_on: asBefore, trained_gently: gently };
  if (rivals === 'offered') return onward;
  say('Learning from what the critic writes, for as long');
  const distilledToo = await kept('distilled', () => distilled(seconds, studied));
  say('Learning the critic’s whole distribution on the text, for as long');
  const reader = await kept('distilled-text', () => distilledText(seconds, studied));
  return { ...onward, distilled: distilledToo, distilled_text: reader };
}

/** What is written, to be held against the cycles: by trained rivals, and by the base model and the critic as they are. */
function waysOf(
  { base, critic }: StudiedProject,
  rivals: TrainedRivals,
): Readonly<Record<string, Omit<Way, 'curve'> & { readonly way: WayOfWriting }>> {
  const { trained_on, trained_gently, ...others } = Object.fromEntries(
    Object.entries(rivals).map(([name, { model }]) => [name, { way: { writer: model }, size: 'same' as const }]),
  );
  const isAll = Object.keys(others).length > 0;
  return {
    ...(trained_on ? { trained_on: { ...trained_on, isOffered: true } } : {}),
    ...(trained_gently ? { trained_gently: { ...trained_gently, isOffered: true } } : {}),
    top_p: { way: { writer: base, topP: usualReading.top_p }, size: 'same', isOffered: true },
    ...others,
    ...(isAll
      ? {
          best_of_n: { way: { writer: base, best: { of: BEST_OF, critic } }, size: 'larger' },
          critic: { way: { writer: critic }, size: isLarger(critic, base) ? 'larger' : 'same' },
        }
      : {}),
  };
}

export type Frontier = Awaited<ReturnType<typeof compareFrontier>>;

const weightsOf = ({ weights }: LanguageModel): number =>
  Object.values(weights).reduce((sum, { data }) => sum + data.length, 0);
const isLarger = (one: LanguageModel, other: LanguageModel): boolean => weightsOf(one) > weightsOf(other);

/** A rival is minutes of training: its weights stay in the project's folder. */
async function keptRival(studied: StudiedProject, name: string, train: () => Promise<Rival>): Promise<Rival> {
  const { steps, val_loss } = await kept(studied.folder, `frontier-${name}`, async () => {
    const { model, ...facts } = await train();
    studied.keep(`frontier-${name}`, model);
    return facts;
  });
  return { steps, val_loss, model: studied.keptModel(`frontier-${name}`) };
}
