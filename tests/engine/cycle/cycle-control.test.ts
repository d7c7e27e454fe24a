/** A cycle's control, on models that have learned next to nothing: what it measures, and that it measures the same twice. */
import { expect, it } from 'vitest';
import { controlOf } from '../../../main/engine/cycle/cycle-control.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { reportSchema } from '../../../shared/report.js';
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
    const judge = { ...model(3), name: 'judge_model_v1' };
    const options = { cycle: 1, before: { ...model(1), val_loss: Math.log(8) }, after: model(1), judge, env };
    const control = await controlOf(project, options);
    // Whoever waits sees it train, and nothing of it is the project's.
    const told = env.events.filter((event) => event.event === 'progress');
    expect(told.filter(({ unit }) => unit === 'steps').length).toBeGreaterThan(1);
    expect([...new Set(told.map(({ phase }) => phase))]).toEqual(['evaluation']);
    expect(env.events.filter(({ event }) => event === 'metrics' || event === 'notice')).toEqual([]);
    const tokens = { train: project.tokens.train.length, val: project.tokens.val.length };
    expect(control).toMatchObject({
      judge: 'judge_model_v1',
      share: 0.05,
      // Nothing was changed, so at equal variety nothing was gained.
      cycle: { gain: 0 },
      trained_on: { steps: controlSteps({ config, model: tinyModel, tokens }, 1) },
      variety: { before: control.variety.after },
    });
    // The figures are those of the points that are drawn.
    const { before = [], cycle = [], trained_on = [], top_p = [], natural = [] } = control.curves ?? {};
    expect(before.map(({ temperature }) => temperature)).toEqual([1, 0.9]);
    expect(before[0]?.variety).toBe(control.variety.before);
    expect(before[1]).toMatchObject({ variety: control.temperature.variety });
    expect((before[0]?.nats_per_character ?? NaN) - (before[1]?.nats_per_character ?? NaN)).toBe(
      control.temperature.gain,
    );
    expect(cycle[0]).toEqual(before[0]);
    expect(trained_on.length).toBeGreaterThan(0);
    // Leaving out a tenth of the probability makes this writer less varied, so that it is let write hotter.
    expect(control.top_p?.top_p).toBe(0.9);
    expect(top_p.length).toBeGreaterThan(0);
    expect(top_p[0]).not.toEqual(before[0]);
    expect(control.top_p?.lead.gain).toBe(control.top_p?.gain === null ? null : -(control.top_p?.gain ?? NaN));
    expect(natural).toHaveLength(1);
    // An untrained model of 8 tokens has a loss of log 8; a few steps learn how often each occurs.
    expect(control.trained_on.val_loss).toBeLessThan(Math.log(8));
    expect(reportSchema.shape.control.parse(control)).toEqual(control);
    // What training on does is none of the project's metrics.
    expect(env.events.filter(({ event }) => event === 'metrics')).toEqual([]);
  },
  PATIENCE,
);
