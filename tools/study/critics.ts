/**
 * Other ways to a critic than three times the generator's steps from nothing: begun at the generator's own weights, for
 * a third of that time; wider; with its weights averaged along the way. What does each see of the samples of cycle 1?
 */
import { nothingKept } from '../../main/engine/types.js';
import type { Interval } from '../../shared/report.js';
import { cycleSeed } from '../../main/engine/cycle/cycle-types.js';
import { perplexity } from '../../main/engine/train/perplexity.js';
import { trainScoringModel } from '../../main/engine/cycle/scoring-models.js';
import { trainRewardModel, type LanguageModel } from '../../main/engine/reward/reward.js';
import { trainBase } from '../../main/engine/train/train.js';
import { kept, type Studied } from './studied.js';

/** Of the old average that stays at each step: it reaches back over some 500. */
const AVERAGE = 0.998;

interface CriticFigures {
  readonly val_loss: number;
  /** Nats per token ahead of the generator. */
  readonly lead_nats: number;
  readonly r2: number | null;
  readonly r2_interval: Interval | null;
  readonly evidence_scale: number | null;
}

export async function compareCritics(
  studied: Studied,
  say: (what: string) => void,
): Promise<Readonly<Record<string, CriticFigures>>> {
  const { folder, config, tokens, base, critic, judge, samples, env } = studied;
  const lossOf = async (model: LanguageModel) =>
    (await perplexity({ ...model, tokens: tokens.val, phase: 'evaluation', env })).loss;
  const baseLoss = await lossOf(base);
  const figures = async (reader: LanguageModel): Promise<CriticFigures> => {
    const val_loss = await lossOf(reader);
    const { report } = await trainRewardModel({
      ...base,
      critic: reader,
      temperature: config.temperature,
      trainSamples: samples.train,
      valSamples: samples.val,
      config: { ...config, reward_kind: 'critic' },
      seed: cycleSeed(config.seed, 1),
      slot: nothingKept,
      env,
    });
    const { r2, r2_interval, evidence_scale } = report;
    return { val_loss, lead_nats: baseLoss - val_loss, r2, r2_interval, evidence_scale };
  };
  /** As many steps again as the generator had, from its weights; `average`: the share of the old that stays. */
  const trainedOn = async (average: number, changes: Partial<typeof config> = {}): Promise<LanguageModel> => {
    const { weights } = await trainBase({
      model: base.model,
      train: { ...config, patience: 1e6, ...changes },
      seed: config.seed + 2 ** 47,
      average,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      slot: nothingKept,
      from: base.weights,
      env,
    });
    return { model: base.model, weights };
  };
  const trained = async (changes: Partial<typeof config>): Promise<LanguageModel> => {
    const options = { config: { ...config, ...changes }, generator: base.model, tokens, slot: nothingKept, env };
    return trainScoringModel('critic', options);
  };
  const ways: Readonly<Record<string, () => Promise<LanguageModel>>> = {
    'from nothing, three times the steps': async () => critic,
    'one and a half times as wide, twice the steps': async () => judge,
    'from nothing, three times the steps, weights averaged': () => trained({ critic_average: AVERAGE }),
    'from the generator’s weights, as many steps again': () => trainedOn(0),
    'the same, weights averaged': () => trainedOn(AVERAGE),
    'the same at a constant learning rate, weights averaged': () => trainedOn(AVERAGE, { decay_lr: false }),
  };
  const rows: Record<string, CriticFigures> = {};
  for (const [name, make] of Object.entries(ways)) {
    say(`Critic: ${name}`);
    rows[name] = await kept(folder, `critic ${name}`, async () => figures(await make()));
  }
  return rows;
}
