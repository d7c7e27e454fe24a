/** The whole cycle on a small text: named results, repeatable to the byte, and going on where it stopped. */
import { beforeAll, describe, expect, it } from 'vitest';
import { runCycles } from '../../../main/engine/cycle/cycle.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { reportSchema } from '../../../shared/reports/report.js';
import { phaseNames, phases } from '../../../shared/phases/index.js';
import { hashOf, testEnvironment, tinyConfig } from '../../support/engine.js';
import { memoryStore, type MemoryStore } from '../../support/memory-store.js';

async function run(store = memoryStore(), onEvent?: (event: JobEvent, stop: () => void) => void, changes = {}) {
  const env = await testEnvironment(onEvent);
  const outcome = await runCycles({ config: tinyConfig({ cycle_patience: 9, ...changes }), store, env });
  return { ...outcome, store, env };
}

const fingerprint = ({ models, reports }: MemoryStore) => ({
  models: [...models].map(([name, { weights }]) => [name, hashOf(weights)]),
  reports: [...reports.values()].map((report) => ({
    ...report,
    base: report.base && { ...report.base, tokens_per_second: 0 },
  })),
});

describe('cycles', () => {
  let whole: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    whole = await run();
  });

  it('make models and data named as in the specification, with a report for each cycle', async () => {
    const { store, reports, stopped_because } = whole;
    expect([...store.models.keys()]).toEqual([
      'base_model_v1',
      'reward_model_v1',
      'base_model_v2',
      'reward_model_v2',
      'base_model_v3',
    ]);
    expect([...store.data.keys()]).toEqual(['reward_data_v1', 'reward_data_v2']);
    expect(stopped_because).toBe('max_cycles');
    expect(reports.map(({ cycle, name }) => [cycle, name])).toEqual([
      [0, 'base_model_v1'],
      [1, 'base_model_v2'],
      [2, 'base_model_v3'],
    ]);
    // The same prompts after every cycle, so that a person can compare.
    const prompts = reports.map(({ samples }) => samples.map(({ prompt }) => prompt));
    expect(prompts[0]).toHaveLength(3);
    expect(prompts[1]).toEqual(prompts[0]);
    expect(prompts[2]).toEqual(prompts[0]);
    // A cycle's prompts, data and noise are its own.
    const [first, second] = [store.data.get('reward_data_v1'), store.data.get('reward_data_v2')];
    expect(first?.train.x(0, 64)).not.toEqual(second?.train.x(0, 64));
  });

  it('give the same bytes twice, and after a stop inside any phase', async () => {
    const expected = fingerprint(whole.store);
    expect(fingerprint((await run()).store)).toEqual(expected);

    const store = memoryStore();
    const stops: ((event: JobEvent) => boolean)[] = [
      (event) => event.event === 'metrics' && event.phase === 'base_training' && event.step === 40,
      (event) => event.event === 'progress' && event.phase === 'reward_data',
      (event) => event.event === 'metrics' && event.phase === 'reward_model' && event.step === 100,
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 1,
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.cycle === 2 && event.step === 3,
    ];
    for (const stopsAt of stops) {
      await expect(
        run(store, (event, stop) => {
          if (stopsAt(event)) stop();
        }),
      ).rejects.toMatchObject({ code: 'stopped' });
    }
    expect(fingerprint((await run(store)).store)).toEqual(expected);
  });

  it('say that they are finished when run again, without training anything', async () => {
    const { env, reports } = await run(whole.store);
    expect(reports).toHaveLength(3);
    const phases = env.events.flatMap((event) => (event.event === 'phase' ? [[event.phase, event.state]] : []));
    expect(phases).toEqual([
      ['prepare', 'started'],
      ['prepare', 'finished'],
      ['base_training', 'skipped'],
      ['grpo', 'skipped'],
      ['grpo', 'skipped'],
    ]);
  });

  it('warn in words when the reward model is blind', async () => {
    // Too few steps to learn anything from an untrained trunk.
    const { env } = await run(memoryStore(), undefined, { max_iters: 1, reward_max_iters: 1, max_cycles: 1 });
    expect(env.events).toContainEqual(
      expect.objectContaining({ event: 'notice', level: 'warning', code: 'reward_blind' }),
    );
  });

  const critical = {
    ...{ reward_kind: 'critic', reward_shape: 'token_log_ratio', scale_rewards: 'none', beta: 0.5 },
    ...{ ptx_coef: 1, ptx_batch_size: 4, kl_target: 0.05, policy_average: 0.5, max_iters: 20 },
    critic_length: 8,
    ...{ reward_train_samples: 256, reward_val_samples: 64, samples_per_chunk: 4, judge_passages: 8 },
  };

  it('with a critic and a judge: one of each, and a judgement of each', async () => {
    const { store, reports, env } = await run(memoryStore(), undefined, {
      ...critical,
      max_cycles: 1,
      control_share: 0.1,
    });
    expect([...store.models.keys()]).toEqual([
      'base_model_v1',
      'judge_model_v1',
      'critic_model_v1',
      'reward_model_v1',
      'base_model_v2',
    ]);
    const [base, cycle] = reports;
    expect(cycle?.reward_model?.kind).toBe('critic');
    expect(Object.keys(cycle?.reward_models ?? {}).sort()).toEqual(['critic']);
    expect(cycle?.reward_models.critic).toEqual(cycle?.reward_model);
    expect(cycle?.critic).toMatchObject({ name: 'critic_model_v1' });
    expect(cycle?.critic?.lead_nats).toBeGreaterThan(0.1);
    expect(cycle?.critic?.lead_nats).toBeCloseTo((base?.val_loss ?? NaN) - (cycle?.critic?.val_loss ?? NaN), 4);
    expect(store.models.get('judge_model_v1')?.model).toMatchObject({ n_embd: 24, n_head: 3, mode: 'generator' });
    expect(base?.judgement?.gain).toBeNull();
    expect(cycle?.judgement?.natural).toEqual(base?.judgement?.natural);
    expect(cycle?.judgement?.gain?.unconditional).toBeCloseTo(
      (base?.judgement?.generator.unconditional.mean ?? NaN) - (cycle?.judgement?.generator.unconditional.mean ?? NaN),
      10,
    );
    expect(cycle?.judgement?.fresh_discriminator.kind).toBe('critic');
    expect(base?.control).toBeUndefined();
    expect(cycle?.control).toMatchObject({ judge: 'judge_model_v1', share: 0.1 });
    expect(reportSchema.parse(cycle).control).toEqual(cycle?.control);
    // What is declared of the phases is what they record; how fast a machine can be at all is not known here, and who is alone waits
    // for nobody.
    for (const phase of phaseNames) {
      const rows = env.events.flatMap((event) => (event.event === 'metrics' && event.phase === phase ? [event] : []));
      const recorded = new Set(rows.flatMap(({ values }) => Object.keys(values)));
      // A head is trained, and its losses are recorded; a critic is not.
      const declared = Object.keys(phases[phase].metrics).filter(
        (name) => name !== 'mfu' && !(phase === 'reward_model' && name.endsWith('loss')),
      );
      expect([...recorded].sort(), phase).toEqual(declared.sort());
    }
    // An evaluation trains a discriminator of its own, which is no reward model of the cycle.
    let evaluating = false;
    for (const event of env.events) {
      if (event.event === 'phase' && event.phase === 'evaluation') evaluating = event.state === 'started';
      if (!evaluating) continue;
      expect(event).not.toMatchObject({ event: 'metrics', phase: 'reward_model' });
      if (event.event === 'progress') expect(event.phase).toBe('evaluation');
    }
  });

  it('with a critic and a judge, a stop inside any phase changes no byte either', async () => {
    const once = { ...critical, max_cycles: 1 };
    const whole = fingerprint((await run(memoryStore(), undefined, once)).store);
    const store = memoryStore();
    const stops: ((event: JobEvent) => boolean)[] = [
      (event) => event.event === 'metrics' && event.phase === 'judge' && event.step === 20,
      (event) => event.event === 'progress' && event.phase === 'evaluation',
      (event) => event.event === 'metrics' && event.phase === 'critic' && event.step === 100,
      (event) => event.event === 'metrics' && event.phase === 'reward_model',
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 3,
      (event) => event.event === 'progress' && event.phase === 'evaluation',
    ];
    for (const stopsAt of stops) {
      await expect(run(store, (event, stop) => void (stopsAt(event) && stop()), once)).rejects.toMatchObject({
        code: 'stopped',
      });
    }
    expect(fingerprint((await run(store, undefined, once)).store)).toEqual(whole);
  }, 240_000);

  it('end where the generator has caught up with its critic', async () => {
    const level = { ...critical, judge_passages: 0, max_iters: 60, critic_length: 0.02 };
    const { reports, stopped_because, env, store } = await run(memoryStore(), undefined, level);
    expect(stopped_because).toBe('critic');
    expect(reports).toHaveLength(1);
    expect(env.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'critic_caught_up' }));
    expect(store.models.has('base_model_v2')).toBe(false);
  });

  it('stop when held-out perplexity no longer improves', async () => {
    const { reports, stopped_because } = await run(memoryStore(), undefined, {
      cycle_patience: 1,
      max_cycles: 5,
    });
    expect(stopped_because).toBe('perplexity');
    expect(reports).toHaveLength(2);
  });
});
