/**
 * The independent judgement of the first and the last generator of a project, and of natural text: more passages, and
 * more samples for the fresh discriminator, than a cycle's own report has, so that differences of a few hundredths show.
 */
import type { CycleReport, Judgement, RewardReport } from '../../shared/report.js';
import { freshDiscriminator } from '../../main/engine/cycle/fresh-discriminator.js';
import type { LanguageModel } from '../../main/engine/reward/reward.js';
import { kept, type Studied } from './studied.js';

export interface JudgedGenerator {
  readonly name: string;
  /** On the whole held-out split. */
  readonly perplexity: number;
  readonly judgement: Judgement;
  readonly fresh_discriminator: RewardReport;
}

export interface Judgements {
  readonly natural: Judgement;
  readonly first: JudgedGenerator;
  readonly last: JudgedGenerator;
}

/** Of each sort. */
export const PASSAGES = 1024;

export async function judgeGenerators(studied: Studied, say: (what: string) => void): Promise<Judgements> {
  const { folder, config, reports, tokens, judge, env } = studied;
  const judged = ({ name, perplexity }: CycleReport) =>
    kept(folder, `judged-${name}`, async (): Promise<JudgedGenerator> => {
      say(`Judging ${name}`);
      const generator: LanguageModel = studied.generator(name);
      return {
        name,
        perplexity: perplexity ?? NaN,
        judgement: await studied.judged(generator, PASSAGES),
        fresh_discriminator: await freshDiscriminator({
          generator,
          judge,
          tokens,
          vocabLimit: generator.model.vocab_size,
          seed: config.seed,
          env,
          config: { ...config, reward_train_samples: null, reward_val_samples: null },
        }),
      };
    });
  const [first] = reports;
  const last = reports.at(-1);
  if (!first || !last) throw new Error('there is no generator to judge');
  const natural = await kept(folder, 'judged-natural', () => studied.judged(null, PASSAGES));
  return { natural, first: await judged(first), last: await judged(last) };
}
