/**
 * Other ways to a critic than three times the generator's steps from nothing: begun at the generator's own weights, for
 * a third of that time; wider; with its weights averaged along the way. What does each see of the samples of cycle 1?
 */
import { cycleSeed } from '../../main/engine/cycle-types.js';
import { perplexity } from '../../main/engine/perplexity.js';
import { trainRewardModel, type LanguageModel } from '../../main/engine/reward.js';
import type { Interval } from '../../main/engine/statistics.js';
import { trainBase } from '../../main/engine/train.js';
import type { CheckpointSlot, NamedArrays } from '../../main/engine/types.js';
import { kept, nothingKept, type Studied } from './studied.js';

export interface CriticFigures {
  readonly val_loss: number;
  /** Nats per token ahead of the generator. */
  readonly lead_nats: number;
  readonly r2: number | null;
  readonly r2_interval: Interval | null;
  readonly evidence_scale: number | null;
}

/** Of the weights at every evaluation in the second half of training, the mean. */
function averagingSlot(from: number): { readonly slot: CheckpointSlot; mean(): NamedArrays } {
  const sums = new Map<string, { readonly shape: readonly number[]; readonly data: Float64Array }>();
  let count = 0;
  return {
    slot: {
      latest: async () => null,
      async save({ weights }, step) {
        if (step < from) return;
        count++;
        for (const [name, { shape, data }] of Object.entries(weights)) {
          const sum = sums.get(name) ?? { shape, data: new Float64Array(data.length) };
          data.forEach((value, i) => (sum.data[i] = (sum.data[i] ?? 0) + value));
          sums.set(name, sum);
        }
      },
    },
    mean: () =>
      Object.fromEntries(
        [...sums].map(([name, { shape, data }]) => [
          name,
          { shape: [...shape], data: Float32Array.from(data, (sum) => sum / count) },
        ]),
      ),
  };
}

export async function compareCritics(
  studied: Studied,
  say: (what: string) => void,
): Promise<Readonly<Record<string, CriticFigures>>> {
  const { folder, config, tokens, base, critic, judge, samples, env } = studied;
  const lossOf = async (model: LanguageModel) => (await perplexity({ ...model, tokens: tokens.val, env })).loss;
  const baseLoss = await lossOf(base);
  const figures = async (reader: LanguageModel): Promise<CriticFigures> => {
    const val_loss = await lossOf(reader);
    const { report } = await trainRewardModel({
      ...{ ...base, critic: reader, temperature: config.temperature },
      ...{ trainSamples: samples.train, valSamples: samples.val, config: { ...config, reward_kind: 'critic' } },
      ...{ seed: cycleSeed(config.seed, 1), slot: nothingKept, env },
    });
    const { r2, r2_interval, evidence_scale } = report;
    return { val_loss, lead_nats: baseLoss - val_loss, r2, r2_interval, evidence_scale };
  };
  /** As many steps again as the generator had, from its weights. */
  const trainedOn = async (changes: Partial<typeof config>, slot: CheckpointSlot): Promise<LanguageModel> => {
    const { weights } = await trainBase({
      model: base.model,
      train: { ...config, patience: 1e6, ...changes },
      seed: config.seed + 2 ** 47,
      ...{ trainTokens: tokens.train, valTokens: tokens.val, slot, from: base.weights, env },
    });
    return { model: base.model, weights };
  };
  const averaged = async () => {
    const { slot, mean } = averagingSlot(config.max_iters / 2);
    await trainedOn({ decay_lr: false, eval_interval: config.max_iters / 20, eval_iters: 1 }, slot);
    return { model: base.model, weights: mean() };
  };
  const ways: Readonly<Record<string, () => Promise<LanguageModel>>> = {
    'from nothing, three times the steps': async () => critic,
    'one and a half times as wide, twice the steps': async () => judge,
    'from the generator’s weights, as many steps again': () => trainedOn({}, nothingKept),
    'the same at a constant learning rate, weights averaged': averaged,
  };
  const rows: Record<string, CriticFigures> = {};
  for (const [name, make] of Object.entries(ways)) {
    say(`Critic: ${name}`);
    rows[name] = await kept(folder, `critic ${name}`, async () => figures(await make()));
  }
  return rows;
}
