/** A cycle that learns from choices: what it makes and reports, the same bytes after a stop, and a user without a taste. */
import { beforeAll, describe, expect, it } from 'vitest';
import { runCycles } from '../../../main/engine/cycle/cycle.js';
import type { FrozenChoices } from '../../../main/engine/cycle/cycle-types.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { uniforms } from '../../../main/engine/rng.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { reportSchema } from '../../../shared/reports/report.js';
import { hashOf, testEnvironment, tinyConfig, tinyLlama } from '../../support/engine.js';
import { memoryStore } from '../../support/memory-store.js';

const adapted = { ...tinyLlama, lora: { rank: 2, alpha: 4, projections: 'all' } } as const;
/** Token 7 is a blank, so that words have lengths. */
const letters = 'abcdefg ';
const decode = (ids: ArrayLike<number>) => Array.from(ids, (id) => letters[id] ?? '?').join('');
const blanks = (text: string) => text.split(' ').length;

/** @param follows how often the user keeps the one with the most blanks, of three; otherwise any of them */
function choicesOf(follows: number, count = 100): FrozenChoices {
  const all = uniforms(3, 1, 1, 0, 100_000);
  let at = 0;
  const next = () => all[at++ % all.length] ?? 0;
  const choices = Array.from({ length: count }, () => {
    const texts = [0, 1, 2].map(() => Uint32Array.from({ length: 10 }, () => Math.floor(next() * 8)));
    texts.sort((a, b) => blanks(decode(b)) - blanks(decode(a)));
    const kept = next() < follows ? 0 : Math.floor(next() * 3);
    const ordered = [texts[kept] ?? new Uint32Array(), ...texts.filter((_, other) => other !== kept)];
    const [chosen = '', ...others] = ordered.map(decode);
    return { context: 'abc', chosen, others, ids: { context: Uint32Array.of(0, 1, 2), texts: ordered } };
  });
  return { training: choices.slice(count / 5), heldOut: choices.slice(0, count / 5), ignored: [] };
}

function choicesStore(kind: 'adapters' | 'scratch', choices: FrozenChoices) {
  const store = memoryStore();
  return {
    ...store,
    prepare: async () => ({
      ...(await store.prepare()),
      decode,
      createDecoder: () => ({ push: decode, flush: () => '' }),
    }),
    initialModel: async () => (kind === 'adapters' ? { model: adapted, weights: initialWeights(adapted, 5) } : null),
    loadChoices: async () => choices,
  };
}
type Store = ReturnType<typeof choicesStore>;

async function run(kind: 'adapters' | 'scratch', store: Store, onEvent?: (event: JobEvent, stop: () => void) => void) {
  const env = await testEnvironment(onEvent);
  // A model that still learns its text would follow that instead.
  const begin = kind === 'adapters' ? { init_from: 'model', max_iters: 20 } : { max_iters: 300 };
  const config = {
    ...tinyConfig({ ...begin, judge_passages: 0, max_cycles: 1, stop_when: 'people' }),
    learned_cycles: [1],
  };
  return { ...(await runCycles({ config, store, env })), store, env };
}

const weightsOf = ({ models }: Store, version: number) => models.get(`base_model_v${version}`)?.weights ?? {};

describe.each(['adapters', 'scratch'] as const)('a cycle that learns from choices: %s', (kind) => {
  let whole: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    whole = await run(kind, choicesStore(kind, choicesOf(0.9)));
  });

  it('trains no reward model, and reports what was understood and how far held-out choices agree', () => {
    const { store, reports } = whole;
    expect([...store.models.keys()]).toEqual(['base_model_v1', 'base_model_v2']);
    const { choices, voice } = reports[1] ?? {};
    expect(voice).toBeUndefined();
    expect(choices).toMatchObject({ learned_from: 80, held_out: 20 });
    expect(choices?.preferences).toContainEqual({ feature: 'sentence_length', more: true });
    expect(choices?.training.best_step).toBeGreaterThan(0);
    expect(choices?.agreement?.mean).toBeGreaterThan(0.5);
    expect(reportSchema.parse(structuredClone(reports[1])).choices).toEqual(choices);
    expect(hashOf(weightsOf(store, 2))).not.toBe(hashOf(weightsOf(store, 1)));
  });

  it('gives the same bytes after a stop', async () => {
    const store = choicesStore(kind, choicesOf(0.9));
    for (const step of [1, 7]) {
      await expect(
        run(kind, store, (event, stop) => {
          if (event.event === 'metrics' && event.phase === 'grpo' && event.step === step) stop();
        }),
      ).rejects.toMatchObject({ code: 'stopped' });
    }
    await run(kind, store);
    expect(hashOf(weightsOf(store, 2))).toBe(hashOf(weightsOf(whole.store, 2)));
  });

  it('changes nothing for a user without a taste, and says so', async () => {
    const { store, reports, env } = await run(kind, choicesStore(kind, choicesOf(0)));
    expect(reports[1]?.choices).toMatchObject({ agreement: null, preferences: [] });
    expect(reports[1]?.choices?.training).toMatchObject({ steps: 0, best_step: 0, stopped_because: 'no_pattern' });
    expect(env.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'voice_no_pattern' }));
    expect(hashOf(weightsOf(store, 2))).toBe(hashOf(weightsOf(store, 1)));
  });

  it('keeps the weights before if held-out choices speak against the new ones', async () => {
    const { training, heldOut } = choicesOf(0.9);
    const against = heldOut.map(({ ids, ...choice }) => ({
      ...choice,
      ids: { ...ids, texts: ids.texts.toSorted((a, b) => blanks(decode(a)) - blanks(decode(b))) },
    }));
    const { store, reports } = await run(kind, choicesStore(kind, { training, heldOut: against, ignored: [] }));
    expect(reports[1]?.choices?.training).toMatchObject({ best_step: 0, stopped_because: 'disagreed' });
    expect(hashOf(weightsOf(store, 2))).toBe(hashOf(weightsOf(store, 1)));
  });
});
