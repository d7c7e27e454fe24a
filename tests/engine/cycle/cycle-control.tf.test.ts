/** A cycle's control, on models that have learned next to nothing: what it measures, and that it measures the same twice. */
import { expect, it } from 'vitest';
import { judgePassages } from '../../../main/engine/cycle/judgement.js';
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';
import { controlOf } from '../../../main/engine/cycle/cycle-control.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { reportSchema } from '../../../shared/reports/report.js';
import { controlSteps } from '../../../shared/costs/phases.js';
import { testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { memoryStore } from '../../support/memory-store.js';

const PATIENCE = 900_000;

it(
  'holds a cycle against training on for a share of its work, by the judge',
  async () => {
    const env = await testEnvironment();
    const config = tinyConfig({ reward_kind: 'critic', judge_passages: 8, control_share: 0.05, eval_interval: 4 });
    const store = memoryStore();
    const project = { config, store, tokens: await store.prepare(), env, control: undefined };
    // Weights large enough that some tokens are unlikely.
    const sharp = (seed: number) =>
      Object.fromEntries(
        Object.entries(initialWeights(tinyModel, seed)).map(([name, { data, ...rest }]) => [
          name,
          { ...rest, data: data.map((value) => (name.includes('wte') ? 12 * value : value)) },
        ]),
      );
    const model = (seed: number) => ({ model: tinyModel, weights: sharp(seed) });
    const judging = {
      ...{ judge: model(3), vocabLimit: 8, seed: 1, env, valTokens: project.tokens.val, passages: 8 },
      ...{ copies: createCopyIndex(project.tokens.train), tokenization: 'char' as const, generation: config },
    } as const;
    const after = await judgePassages(model(1), judging);
    env.events.length = 0;
    const control = await controlOf(project, {
      ...{ cycle: 1, before: { ...model(1), val_loss: Math.log(8) }, after, judging },
    });
    // Whoever waits sees it train, and nothing of it is the project's.
    const progress = env.events.filter((event) => event.event === 'progress');
    expect(progress.filter(({ unit }) => unit === 'steps').length).toBeGreaterThan(1);
    expect([...new Set(progress.map(({ phase }) => phase))]).toEqual(['evaluation']);
    expect(env.events.filter(({ event }) => event === 'metrics' || event === 'notice')).toEqual([]);
    const tokens = { train: project.tokens.train.length, val: project.tokens.val.length };
    expect(control).toMatchObject({
      judge: 'judge_model_v1',
      share: 0.05,
      // The same generator gains nothing.
      cycle: { gain: 0 },
      trained_on: { steps: controlSteps({ config, model: tinyModel, tokens }, 1) },
      variety: { before: control.variety.after },
    });
    expect(control.lead.gain).toBeCloseTo(-(control.trained_on.gain ?? NaN), 6);
    expect(control.trained_on.gain).not.toBe(0);
    // An untrained model of 8 tokens has a loss of log 8; a few steps learn how often each occurs.
    expect(control.trained_on.val_loss).toBeLessThan(Math.log(8));
    expect(reportSchema.shape.control.parse(control)).toEqual(control);
    // What training on does is none of the project's metrics.
    expect(env.events.filter(({ event }) => event === 'metrics')).toEqual([]);
  },
  PATIENCE,
);
