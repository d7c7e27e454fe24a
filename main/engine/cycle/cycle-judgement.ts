/** The evaluation phase of a cycle: an independent judgement of its generator, and its control. */
import type { ControlReport, JudgementReport, RewardReport } from '../../../shared/reports/report.js';
import { freshDiscriminatorSettings } from '../../../shared/config/evaluation.js';
import { controlOf, type BeforeCycle } from './cycle-control.js';
import { during, withinEvaluation } from './cycle-phase.js';
import { generatorName, type Project } from './cycle-types.js';
import { judgePassages } from './judgement.js';
import { judgeName, trainScoringModel } from './scoring-models.js';
import { makeRewardData } from '../reward/reward-data.js';
import { trainRewardModel } from '../reward/reward.js';
import { createCopyIndex } from '../statistics/text-statistics.js';
import { knownWords } from '../statistics/words.js';
import { nothingKept, type Environment, type RewardSamples, type TokenIds, type LanguageModel } from '../types.js';
import { samplingRule } from '../model/sampling-rule.js';

/**
 * Judges a cycle's generator by a judge and a discriminator that nothing is trained against. The judge is trained once, in cycle 0.
 * @param before the generator that the cycle began with; none in cycle 0
 */
export async function judge(
  project: Project,
  cycle: number,
  generator: LanguageModel,
  before?: BeforeCycle,
): Promise<{ readonly judgement: JudgementReport | null; readonly control: ControlReport | null }> {
  const { config, store, tokens } = project;
  if (config.judge_passages === 0) return { judgement: null, control: null };
  const stored = await store.loadModel(judgeName);
  const judge = stored ?? (await trainJudge(project, generator));
  if (!stored) await store.saveModel(judgeName, judge, {});
  return during(project, 'evaluation', cycle, generatorName(cycle), async (inside) => {
    const options = {
      judge,
      vocabLimit: tokens.vocabSize,
      excluded: tokens.special,
      seed: config.seed,
      env: inside,
      valTokens: tokens.val,
      copies: createCopyIndex(tokens.train),
      words: knownWords(tokens.train, tokens),
      vocabulary: tokens,
      tokenization: tokens.method,
      generation: config,
      passages: config.judge_passages,
    };
    const first = cycle === 0 ? null : ((await store.loadReport(0))?.judgement ?? null);
    const judged = await judgePassages(generator, options);
    const { judgement } = judged;
    const report: JudgementReport = {
      judge: judgeName,
      generator: judgement,
      natural: first?.natural ?? (await judgePassages(null, options)).judgement,
      gain: first && {
        unconditional: first.generator.unconditional.mean - judgement.unconditional.mean,
        prompted: first.generator.prompted.mean - judgement.prompted.mean,
      },
      fresh_discriminator: await freshDiscriminator(project, generator, judge, inside),
    };
    inside.emit({ event: 'metrics', phase: 'evaluation', step: cycle, values: judgementValues(report) });
    const isControlled = before !== undefined && config.control_share > 0;
    const control = isControlled ? await controlOf(project, { cycle, before, after: judged, judging: options }) : null;
    return { judgement: report, control };
  });
}

const trainJudge = (project: Project, generator: LanguageModel) =>
  during(project, 'judge', 0, judgeName, async (env) =>
    trainScoringModel('judge', project, {
      generator: generator.model,
      initial: (await project.store.initialModel?.()) ?? null,
      name: judgeName,
      env,
    }),
  );

const judgementValues = ({ generator, natural, gain, fresh_discriminator }: JudgementReport) => ({
  judge_nats: generator.unconditional.mean,
  judge_nats_prompted: generator.prompted.mean,
  natural_nats: natural.unconditional.mean,
  ...(gain && { judge_gain: gain.unconditional, judge_gain_prompted: gain.prompted }),
  distinct_3: generator.distinct_3,
  natural_distinct_3: natural.distinct_3,
  words_known: generator.words_known,
  natural_words_known: natural.words_known,
  copied_share: generator.copied_share,
  natural_copied_share: natural.copied_share,
  fresh_discriminator_r2: fresh_discriminator.r2,
});

/**
 * Fits a discriminator that GRPO has never seen, with the judge as its critic, to new passages of a generator. Its R² falls as the
 * writing becomes harder to distinguish from natural text, and not if it only pleases the reward model.
 */
async function freshDiscriminator(
  { config, tokens }: Project,
  generator: LanguageModel,
  judge: LanguageModel,
  outer: Environment,
): Promise<RewardReport> {
  const { block_size } = generator.model;
  const settings = freshDiscriminatorSettings(config, { block_size, valTokens: tokens.val.length });
  // Its metrics would pass for those of the cycle's own reward model.
  const env = withinEvaluation(outer);
  const samples = { train: memorySamples(block_size), val: memorySamples(block_size) };
  const drawing = { generation: config, vocabLimit: tokens.vocabSize, excluded: tokens.special };
  await makeRewardData({
    ...generator,
    ...drawing,
    tokens,
    seed: config.seed,
    env,
    config: settings,
    append: (split, x, y) => samples[split].append(x, y),
  });
  const { report } = await trainRewardModel({
    ...generator,
    critic: judge,
    rule: samplingRule(drawing),
    trainSamples: samples.train.samples(),
    valSamples: samples.val.samples(),
    config: settings,
    seed: config.seed,
    slot: nothingKept,
    env,
  });
  return report;
}

function memorySamples(blockSize: number) {
  const [ids, targets]: [number[], number[]] = [[], []];
  return {
    append(x: TokenIds, y: Float32Array) {
      for (const id of x) ids.push(id);
      for (const target of y) targets.push(target);
    },
    samples(): RewardSamples {
      const [x, y] = [Uint32Array.from(ids), Float32Array.from(targets)];
      return {
        numSamples: y.length / 2,
        blockSize,
        x: (first, count) => x.subarray(first * blockSize, (first + count) * blockSize),
        y: (first, count) => y.subarray(first * 2, (first + count) * 2),
      };
    },
  };
}
