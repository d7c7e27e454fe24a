/** Samples while a model trains: bounded by what training costs, the same after an interruption. */
import { expect, it } from 'vitest';
import { createSampler, samplePlan, sentenceBeginnings } from '../../../main/engine/generate/samples.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { heldOutChange } from '../../../main/engine/statistics/held-out-change.js';
import { createCharTokenizer } from '../../../main/engine/tokenizer/index.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { trainBase } from '../../../main/engine/train/train.js';
import type { TrainOutcome } from '../../../main/engine/train/train-types.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import { memorySlot, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const text = 'The whale rose. It was white, and it blew!\nThen the boat turned and the men cried out. '.repeat(40);
const tokenizer = createCharTokenizer([...new Set(text)].sort());
const ids = tokenizer.encode(text);
const model = { ...tinyModel, vocab_size: tokenizer.vocabSize };
const config = tinyConfig({ max_iters: 4, eval_interval: 2, log_interval: 1 });

async function train(
  stopAt: number | null = null,
  slot = memorySlot(),
  writes = true,
  from?: NamedArrays,
  settings = config,
) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.step === stopAt) stop();
  });
  const tokens = tokensInMemory(ids);
  const outcome = trainBase({
    ...{
      model,
      train: settings,
      seed: 3,
      trainTokens: tokens,
      valTokens: tokens,
      vocabulary: tokenizer,
      ...(writes ? { createSampler } : {}),
      ...(from ? { from } : {}),
      slot,
      env,
    },
  });
  const finished = await outcome.catch((error: unknown) => ({ error }));
  const samples = env.events.filter((event) => event.event === 'samples');
  const writing = env.events.filter((event) => event.event === 'writing');
  return { slot, finished, samples, writing, env };
}

/** From beginning to end, once for all tests. */
let once: ReturnType<typeof train> | undefined;
const whole = () => (once ??= train());

it('writes before the first step and at evaluations, after the same beginnings of sentences', async () => {
  const { samples, env } = await whole();
  expect(samples.map(({ step }) => step)).toEqual([0, 4]);
  const prompts = samples.map(({ samples: passages }) => passages.map(({ prompt }) => prompt));
  expect(new Set(prompts.map((each) => each.join('|'))).size).toBe(1);
  for (const prompt of prompts[0] ?? []) expect(prompt).toMatch(/^(The|It|Then) /);
  const rows = env.events.flatMap((event) => (event.event === 'metrics' && 'val_loss' in event.values ? [event] : []));
  expect(rows.map(({ values }) => 'words_known' in values)).toEqual([false, true]);
});

it('shows what it writes as it grows', async () => {
  const { samples, writing } = await whole();
  for (const { step, samples: finished } of samples) {
    const steps = writing.filter((event) => event.step === step);
    const lengths = steps.map((event) => event.samples[0]?.completion.length ?? 0);
    expect(lengths.length).toBeGreaterThan(3);
    expect(lengths.every((length, at) => at === 0 || length > (lengths[at - 1] ?? 0))).toBe(true);
    for (const event of steps)
      event.samples.forEach(({ completion }, row) =>
        expect(finished[row]?.completion.startsWith(completion)).toBe(true),
      );
  }
});

it('writes a report’s samples once, with the weights that are kept', async () => {
  const { finished, samples } = await whole();
  expect((finished as TrainOutcome).samples).toEqual(samples.at(-1)?.samples);
  // The last weights are worse than earlier ones.
  const wild = { ...config, learning_rate: 20, min_lr: 20, warmup_iters: 8, max_iters: 8 };
  const worse = await train(null, memorySlot(), true, (finished as TrainOutcome).weights, wild);
  const { result, samples: kept } = worse.finished as TrainOutcome;
  expect(result.best_iteration).toBeLessThan(8);
  expect(worse.samples.at(-1)?.step).toBeLessThan(8);
  const text = (all: TrainOutcome['samples']) => all?.map(({ completion }) => completion.length);
  expect(text(kept)).toEqual(text(worse.samples[0]?.samples));
});

it('stopped anywhere and continued, it has written the same', async () => {
  const before = await train(1);
  expect(before.finished).toHaveProperty('error');
  const after = await train(null, before.slot);
  expect([...before.samples, ...after.samples]).toEqual((await whole()).samples);
});

it('measures a model that could write once, before the first step, and keeps that over an interruption', async () => {
  const from = initialWeights(model, 9);
  const before = await train(1, memorySlot(), true, from);
  const after = await train(null, before.slot, true, from);
  const { samples } = before.samples[0] ?? {};
  const rows = [...before.env.events, ...after.env.events].filter((event) => event.event === 'metrics');
  const [first, ...others] = rows.filter(({ values }) => 'val_loss' in values);
  expect([first?.step, ...others.map(({ step }) => step)]).toEqual([0, 2, 4]);
  expect(after.finished).toMatchObject({ before: { samples, val_loss: first?.values['val_loss'] } });
  // The same text is measured at the end.
  const { before: start, parts } = after.finished as TrainOutcome;
  expect(heldOutChange(start?.held_out_parts, parts)?.mean).toBeLessThan(0);
  expect((await whole()).finished).not.toHaveProperty('before');
});

it('changes nothing of what is trained', async () => {
  const { finished, samples } = await train(null, memorySlot(), false);
  expect(samples).toEqual([]);
  const { finished: sampled } = await whole();
  expect('weights' in sampled && sampled.weights).toEqual('weights' in finished && finished.weights);
});

it('takes fewer words where steps are few, and waits where even these are too many', () => {
  const plan = (eval_interval: number) =>
    samplePlan({ ...config, eval_interval, batch_size: 8 }, { ...model, block_size: 128 }, 120);
  expect(plan(250)).toEqual({ tokens: 120, every: 1 });
  expect(plan(35)).toEqual({ tokens: 112, every: 1 });
  expect(plan(5)).toEqual({ tokens: 96, every: 6 });
});

it('finds a beginning in any text', () => {
  const of = (ids: number[]) =>
    sentenceBeginnings(tokensInMemory(ids), tokenizer, 2, 8).map(({ ids: prompt }) => [...prompt]);
  expect(of([3])).toEqual([[3], [3]]);
  const spaces = Array.from(tokenizer.encode('      '));
  for (const prompt of of(spaces)) expect(prompt.length).toBeGreaterThan(0);
});

it('begins with a whole character', () => {
  const pieces = createCharTokenizer(['\ufffd', ' ', 'a', 'b']);
  const ids = tokensInMemory(Array.from(pieces.encode('\ufffd\ufffdab ab')));
  expect(sentenceBeginnings(ids, pieces, 1, 2).map(({ ids: prompt }) => pieces.decode(prompt))).toEqual(['ab']);
});
