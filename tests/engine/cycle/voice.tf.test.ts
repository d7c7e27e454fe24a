/** A cycle that follows the voice: what it makes and reports, the same bytes twice and after a stop, and when it is left out. */
import { beforeAll, describe, expect, it } from 'vitest';
import { runCycles } from '../../../main/engine/cycle/cycle.js';
import type { VoiceTexts } from '../../../main/engine/cycle/cycle-types.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { uniforms } from '../../../main/engine/rng.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { reportSchema } from '../../../shared/reports/report.js';
import { withClock } from '../../support/clock.js';
import { hashOf, testEnvironment, tinyConfig, tinyLlama } from '../../support/engine.js';
import { memoryStore } from '../../support/memory-store.js';

const lora = { rank: 2, alpha: 4, projections: 'all' } as const;
const shapes = {
  adapters: { ...tinyLlama, lora },
  full: tinyLlama,
};

function voiceStore(kind: keyof typeof shapes) {
  const model = shapes[kind];
  let texts: VoiceTexts | null = null;
  return {
    ...memoryStore(),
    initialModel: async () => ({ model, weights: initialWeights(model, 5) }),
    loadVoice: async () => texts,
    saveVoice: async (found: VoiceTexts) => void (texts = found),
  };
}

async function run(
  kind: keyof typeof shapes,
  store = voiceStore(kind),
  onEvent?: (event: JobEvent, stop: () => void) => void,
  changes: Parameters<typeof tinyConfig>[0] = {},
) {
  const env = await testEnvironment(onEvent);
  const config = tinyConfig({
    ...{ init_from: 'model', reward_kind: 'voice', judge_passages: 0, max_cycles: 1, max_iters: 20 },
    ...{ group_size: 4, prompts_per_step: 4, beta: 0.1, grpo_learning_rate: 1e-3, grpo_max_steps: 8 },
    ...changes,
  });
  return { ...(await runCycles({ config, store, env })), store, env };
}

const fingerprint = ({ models, reports }: ReturnType<typeof voiceStore>) => ({
  models: [...models].map(([name, { weights }]) => [name, hashOf(weights)]),
  reports: [...reports.values()].map((report) => ({
    ...report,
    base: report.base && { ...report.base, tokens_per_second: 0 },
  })),
});

describe.each(['adapters', 'full'] as const)('a cycle that follows the voice: %s', (kind) => {
  let whole: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    whole = await run(kind);
  });

  it('trains no reward model, and reports what each version sounds like', () => {
    const { store, reports } = whole;
    expect([...store.models.keys()]).toEqual(['base_model_v1', 'base_model_v2']);
    expect([...store.data.keys()]).toEqual([]);
    const [base, cycle] = reports;
    expect(base?.voice?.before).toBeNull();
    expect(cycle?.voice?.before).toEqual(base?.voice?.version);
    expect(cycle?.voice?.text).toEqual(base?.voice?.text);
    expect(cycle?.voice?.training?.steps).toBeGreaterThan(0);
    expect(cycle?.grpo).toBeNull();
    expect(reportSchema.parse(structuredClone(cycle)).voice).toEqual(cycle?.voice);
    expect(reportSchema.parse(structuredClone(base)).voice).toEqual(base?.voice);
  });

  it('keeps the weights before the brake that it stopped at, here those that it began with', async () => {
    // So large a rate that held-out text becomes less likely in the first round.
    const { reports, store, env } = await run(kind, undefined, undefined, { grpo_learning_rate: 1 });
    expect(reports[1]?.voice?.training).toMatchObject({ steps: 5, best_step: 0, stopped_because: 'held_out' });
    expect(env.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'voice_held_out' }));
    const [before, after] = ['base_model_v1', 'base_model_v2'].map((name) => store.models.get(name)?.weights ?? {});
    expect(hashOf(after ?? {})).toBe(hashOf(before ?? {}));
    expect(reports[1]?.val_loss).toBeCloseTo(reports[0]?.val_loss ?? NaN, 6);
  });

  it('changes the upper half alone', () => {
    const [before, after] = ['base_model_v1', 'base_model_v2'].map((name) => whole.store.models.get(name)?.weights);
    const changed = Object.keys(after ?? {}).filter(
      (name) => String(after?.[name]?.data) !== String(before?.[name]?.data),
    );
    expect(changed.length).toBeGreaterThan(0);
    for (const name of changed) expect(name).toContain('layers.1.');
    if (kind === 'adapters') for (const name of changed) expect(name).toContain('lora_');
  });

  it('gives the same bytes twice, and after a stop inside any of its phases', async () => {
    const expected = fingerprint(whole.store);
    const store = voiceStore(kind);
    const stops: ((event: JobEvent) => boolean)[] = [
      (event) => event.event === 'progress' && event.phase === 'evaluation',
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 1,
      // Between two looks: the passages since the last one are in the checkpoint.
      (event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 7,
      (event) => event.event === 'phase' && event.phase === 'evaluation' && event.cycle === 1,
    ];
    for (const stopsAt of stops) {
      await expect(
        run(kind, store, (event, stop) => {
          if (stopsAt(event)) stop();
        }),
      ).rejects.toMatchObject({ code: 'stopped' });
    }
    expect(fingerprint((await run(kind, store)).store)).toEqual(expected);
  });

  it('measures the version before a cycle that is added later, and keeps that through a stop', async () => {
    const store = voiceStore(kind);
    await run(kind, store, undefined, { max_cycles: 0 });
    const stopped = run(kind, store, (event, stop) => {
      if (event.event === 'phase' && event.phase === 'grpo') stop();
    });
    await expect(stopped).rejects.toMatchObject({ code: 'stopped' });
    expect(store.reports.get(0)?.voice).toEqual(whole.reports[0]?.voice);
    expect((await run(kind, store)).reports[1]).toEqual(whole.reports[1]);
  });

  it('is left out, with a sentence, where the writing has as much of the voice as the text', async () => {
    const store = voiceStore(kind);
    const { reports } = await run(kind, store, undefined, { max_cycles: 0 });
    const [base] = reports;
    expect(base?.voice).toBeUndefined();
    const measured = (await run(kind, voiceStore(kind))).reports[0];
    if (!base || !measured?.voice) throw new Error('nothing was measured');
    const { text } = measured.voice;
    store.reports.set(0, { ...base, voice: { ...measured.voice, version: { ...text, log_ratio: text.log_ratio } } });
    const { env, ...outcome } = await run(kind, store);
    expect(outcome.stopped_because).toBe('voice');
    expect(outcome.reports).toHaveLength(1);
    const notice = env.events.find((event) => event.event === 'notice' && event.code === 'voice_reached');
    expect(notice).toBeDefined();
  });
});

describe('minutes of a cycle that would only exaggerate', () => {
  /** Mostly one token: a version, which draws likely ones, has more of this text's voice than the text. */
  const plain = (length: number, stream: number) => {
    const ids = Uint16Array.from(uniforms(3, stream, 0, 0, length), (u) => (u < 0.8 ? 1 : Math.floor(30 * u) - 22));
    return { length, read: (first: number, count: number) => ids.subarray(first, first + count) };
  };
  const newStore = () => {
    const store = voiceStore('full');
    const texts = { train: plain(20_000, 1), val: plain(1200, 2) };
    return { ...store, prepare: async () => ({ ...(await store.prepare()), ...texts }) };
  };
  async function read(store: ReturnType<typeof newStore>, stopAt = Infinity) {
    const rates = new Map<number, number>();
    const env = await testEnvironment((event, stop) => {
      if (event.event !== 'metrics' || event.phase !== 'base_training') return;
      rates.set(event.step, Number(event.values['learning_rate'] ?? Infinity));
      if (event.step >= stopAt) stop();
    });
    const config = tinyConfig({
      ...{ init_from: 'model', reward_kind: 'voice', judge_passages: 0, max_cycles: 1, train_minutes: 0.5 },
      ...{ eval_interval: 10, log_interval: 1, prompts_per_step: 4 },
    });
    const outcome = await runCycles({ config, store, env: withClock(env, () => 0.4) });
    return {
      ...outcome,
      rates,
      notices: env.events.flatMap((event) => (event.event === 'notice' ? [event.code] : [])),
    };
  }
  const resultOf = ({ models, reports }: ReturnType<typeof newStore>) => {
    const report = reports.get(0);
    const weights = models.get('base_model_v1')?.weights ?? {};
    return [hashOf(weights), { ...report, base: { ...report?.base, tokens_per_second: 0 } }];
  };

  it('go to reading, once, at a rate that rises again, and with the same bytes after a stop', async () => {
    const store = newStore();
    const { reports, notices, rates, stopped_because } = await read(store);
    expect(stopped_because).toBe('voice');
    expect(notices.filter((code) => code === 'voice_reads_on')).toHaveLength(1);
    const { iterations, planned_steps } = reports[0]?.base ?? {};
    expect(iterations).toBe(planned_steps);
    const lowest = [...rates].sort(([, a], [, b]) => a - b)[0]?.[0] ?? NaN;
    expect(iterations).toBeGreaterThan(lowest + 5);
    expect(rates.get(lowest + 3)).toBeGreaterThan(1.5 * (rates.get(lowest) ?? NaN));

    const stopped = newStore();
    await expect(read(stopped, lowest + 3)).rejects.toMatchObject({ code: 'stopped' });
    expect((await read(stopped)).notices).not.toContain('voice_reads_on');
    expect(resultOf(stopped)).toEqual(resultOf(store));
  });
});
