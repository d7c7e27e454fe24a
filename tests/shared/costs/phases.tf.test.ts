/** The counts of the cost model: every declared phase has one, and a real run computes just that. */
import type * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { runCycles } from '../../../main/engine/cycle/cycle.js';
import { quickTokens } from '../../../shared/config/grpo.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { scoringModelOf } from '../../../shared/config/scoring-models.js';
import { workOf } from '../../../shared/phases/estimate.js';
import { forwardFlops, trainingFlops, writingFlops } from '../../../shared/costs/network.js';
import { planOf, wholeOf, type Plan } from '../../../shared/costs/phases.js';
import { flopsOf } from '../../../shared/costs/work.js';
import { phaseNames, type PhaseName } from '../../../shared/phases/index.js';
import { testEnvironment, tinyConfig } from '../../support/engine.js';
import { counting } from '../../support/counting.js';
import { memoryStore } from '../../support/memory-store.js';

const all = projectConfigSchema.parse({ block_size: 16, judge_passages: 4, reward_kind: 'critic', max_cycles: 3 });

describe.each(phaseNames)('%s', (name) => {
  const plan = planOf(all, 65, 20_000);
  const whole = (cycle: number) => wholeOf(workOf(plan, name, cycle));

  it('has a cost in the cycles that it belongs to, and is compiled for once', () => {
    const costs = [0, 1, 2, 3].map((cycle) => flopsOf(whole(cycle)) > 0);
    const expected: Record<PhaseName, readonly boolean[]> = {
      prepare: [false, false, false, false], // no network takes part
      base_training: [true, false, false, false],
      judge: [true, false, false, false],
      reward_data: [false, true, true, true],
      critic: [false, true, false, false],
      reward_model: [false, true, true, true],
      grpo: [false, true, true, true],
      evaluation: [true, true, true, true],
    };
    expect(costs).toEqual(expected[name]);
    const compiled = [0, 1, 2, 3].map((cycle) => whole(cycle).compiled > 0);
    expect(compiled).toEqual(costs.map((has, cycle) => has && costs.indexOf(true) === cycle));
  });
});

it.each([
  { block_size: 64, vocab_size: 80, windows: 256 },
  { block_size: 128, vocab_size: 1024, windows: 128 },
  // SmolLM2: of a large vocabulary less, for every token takes long.
  { block_size: 128, vocab_size: 49_152, windows: 43 },
  { block_size: 4096, vocab_size: 151_936, windows: 1 },
])(
  'a quick look at held-out text is short: $windows windows of $block_size, $vocab_size ids',
  ({ windows, ...model }) => {
    expect(quickTokens(model)).toBe(windows * model.block_size);
  },
);

it('counts no scoring models, and nothing for them, where none are asked for', () => {
  const plan = planOf({ ...all, judge_passages: 0, reward_kind: 'head' }, 65, 20_000);
  for (const phase of ['judge', 'critic', 'evaluation'] as const) {
    expect([0, 1].map((cycle) => flopsOf(wholeOf(workOf(plan, phase, cycle))))).toEqual([0, 0]);
  }
});

interface Counted {
  trained: number;
  scored: number;
  written: number;
}

/** How many networks a function asks about each passage. */
const networks: Readonly<Record<string, number>> = {
  evaluate: 1,
  judge: 1,
  reward_states: 1,
  reward_features: 1,
  read_text: 1,
};

/** Rows of (rows, width) ids that are passages. */
function passagesIn(ids: tf.Tensor): number {
  const [rows = 0, width = 0] = ids.shape;
  const values = ids.dataSync();
  return Array.from({ length: rows }, (_, row) => values.subarray(row * width, (row + 1) * width)).filter((passage) =>
    passage.some((id) => id !== 0),
  ).length;
}

async function countRun(config: Plan['config'] & ReturnType<typeof tinyConfig>) {
  const counts = new Map<string, Counted>();
  let [place, isRunning] = ['', false];
  const env = await testEnvironment((event) => {
    if (event.event !== 'phase') return;
    place = `${event.phase} ${event.cycle ?? 0}`;
    isRunning = event.state === 'started';
  });
  const T = config.block_size;
  const runtime = counting(env.runtime, (name, args) => {
    const counted = counts.get(place) ?? { trained: 0, scored: 0, written: 0 };
    counts.set(place, counted);
    const [first, second] = args as [tf.Tensor & Record<string, tf.Tensor>, Record<string, tf.Tensor>];
    if (name === 'train_step') counted.trained += first['x']?.size ?? 0;
    if (name === 'grpo_step') {
      const { text } = args[0] as { readonly text?: Readonly<Record<string, tf.Tensor>> };
      counted.trained += (first['ids']?.size ?? 0) + (text?.['x']?.size ?? 0);
    }
    const asked = networks[name] ?? (/^(reward_score|rollout_scores)$/.test(name) ? 2 : 0);
    if (asked > 0) counted.scored += asked * T * passagesIn(first);
    // What is shown to people is written between two phases, and not counted.
    if (name !== 'decode' || !isRunning) return;
    const lengths = second['prefixLengths']?.dataSync() ?? [];
    counted.written += [...lengths].filter((length) => length < T).length * (T - 1);
  });
  const { reports } = await runCycles({ config, store: memoryStore(), env: { ...env, runtime } });
  return { counts, reports };
}

it.each([
  {},
  // So many steps that all of the text is read.
  { reward_shape: 'expected_log_ratio', ptx_targets: 'critic', grpo_max_steps: 30 },
] as const)('is what a real run of all phases computes: %o', async (changes) => {
  const config = tinyConfig({
    reward_kind: 'critic',
    judge_passages: 8,
    max_iters: 30,
    critic_length: 4,
    reward_max_iters: 20,
    ptx_coef: 1,
    ptx_batch_size: 4,
    beta: 1,
    kl_cap: 100,
    reward_threshold: 1,
    max_cycles: 1,
    ...changes,
  });
  const { counts, reports } = await countRun(config);
  expect(reports).toHaveLength(2);
  const plan: Plan = { ...planOf(config, 8, null), tokens: { train: 2000, val: 300 } };
  const { model } = plan;
  const { model: judge } = scoringModelOf('judge', config, model);
  const flops = ({ trained, scored }: Counted, network: GPTConfig) =>
    trained * trainingFlops(network) + scored * forwardFlops(network, network.block_size);
  for (const cycle of [0, 1])
    for (const phase of phaseNames.filter((name) => name !== 'evaluation')) {
      const { batched, sequential } = wholeOf(workOf(plan, phase, cycle));
      const counted = counts.get(`${phase} ${cycle}`) ?? { trained: 0, scored: 0, written: 0 };
      // The samples of base training are a hundredth of it and not counted.
      const passages = phase === 'base_training' ? 0 : counted.written / (model.block_size - 1);
      expect([phase, batched, sequential]).toEqual([
        phase,
        flops(counted, phase === 'judge' ? judge : model),
        writingFlops(model, passages),
      ]);
    }
});
