/** What a project is advised to begin from: a model that fits and is quick here, or nothing, each with its reason. */
import { expect, it } from 'vitest';
import { isFamiliar, LARGE_TEXT, recommendBeginning, secondsOf, teachersAmong } from '../../shared/models/beginning.js';
import type { ModelEntry } from '../../shared/contract/models.js';

interface Given extends Partial<ModelEntry> {
  readonly fits?: boolean;
  readonly rate?: number | null;
}

function model(id: string, { fits = true, rate = 1000, ...own }: Given = {}): ModelEntry {
  return {
    id,
    title: id,
    source: 'catalogue',
    init_from: id,
    parameters: 135e6,
    vocabulary: 49_152,
    context: 8192,
    languages: ['en'],
    instructed: false,
    licence: 'Apache-2.0',
    gated: false,
    state: 'present',
    size: 270e6,
    here: 0,
    needs: [{ tune: 'full', memory: 3e9, fits, tokens_per_second: rate }],
    ...own,
  };
}
const advice = (models: readonly ModelEntry[], textBytes: number | null = 3e5, isPrepared = false) =>
  recommendBeginning({ models, textBytes, isPrepared, language: null });
const adviceIn = (language: string, models: readonly ModelEntry[]) =>
  recommendBeginning({ models, textBytes: 3e5, isPrepared: false, language });

it('a text that one has written is for a model that can write; before there is one, it is the usual advice', () => {
  expect(advice([model('small')])).toEqual({ model: 'small', because: 'small_text' });
  expect(advice([model('small')], null)).toEqual({ model: 'small', because: 'usual' });
});

it('a very large text, or tokens of another tokenizer, are for a new model', () => {
  expect(advice([model('small')], LARGE_TEXT)).toEqual({ model: null, because: 'large_text' });
  expect(advice([model('small')], LARGE_TEXT - 1).model).toBe('small');
  expect(advice([model('small')], 3e5, true)).toEqual({ model: null, because: 'prepared_tokens' });
});

it('what does not fit into memory, or would take hours, is not advised', () => {
  expect(advice([model('small', { fits: false })])).toEqual({ model: null, because: 'memory' });
  expect(advice([model('small', { rate: 10 })])).toEqual({ model: null, because: 'slow' });
  expect(advice([])).toEqual({ model: null, because: 'none' });
  expect(advice([model('unknown', { needs: [] })])).toEqual({ model: null, because: 'none' });
  expect(advice([model('gated', { gated: true, state: 'absent' })]).because).toBe('none');
  expect(advice([model('gated', { gated: true })]).model).toBe('gated');
});

it.each(['ar', 'sw', 'zh', 'de', 'ru', 'hi'])('an English model is not recommended for a text in %s', (language) => {
  const english = model('english');
  const multilingual = model('multilingual', { languages: ['en', language], state: 'absent', parameters: 500e6 });
  expect(adviceIn(language, [english])).toEqual({ model: null, because: 'language' });
  expect(adviceIn(language, [english, multilingual])).toEqual({ model: 'multilingual', because: 'small_text' });
  expect(adviceIn('en', [english, multilingual]).model).toBe('english');
  // The user's own model is not excluded: its languages are unknown.
  expect(adviceIn(language, [model('own', { languages: null })]).model).toBe('own');
});

it('what is here goes before what is to be downloaded', () => {
  const far = model('far', { state: 'absent', parameters: 360e6 });
  expect(advice([far, model('here')]).model).toBe('here');
  expect(advice([far]).model).toBe('far');
});

it('of those here, the largest that learns in a quarter of an hour; else the smallest', () => {
  const large = model('large', { parameters: 360e6, rate: 100 });
  expect(secondsOf(large)).toBe((60 * 8 * 128) / 100);
  expect(advice([model('small'), large]).model).toBe('large');
  expect(advice([model('small', { rate: 60 }), { ...large, needs: model('', { rate: 50 }).needs }]).model).toBe(
    'small',
  );
  expect(advice([large, model('small')].map((one) => ({ ...one, needs: model('', { rate: null }).needs }))).model).toBe(
    'small',
  );
  const answers = model('answers', { instructed: true });
  expect(advice([answers, model('writes')]).model).toBe('writes');
});

const familiarities = (nats: Readonly<Record<string, number>>) =>
  new Map(
    Object.entries(nats).map(([init_from, nats_per_character]) => [
      init_from,
      { init_from, nats_per_character, baseline: 2.5 },
    ]),
  );

it.each([
  [
    'of several that were measured, the one that predicts the text best',
    { small: 1.0, large: 1.1 },
    'small',
    'reads_best',
  ],
  ['the largest while one is not measured', { small: 1.0 }, 'large', 'small_text'],
  ['none that predicts it hardly better than counted pairs', { large: 1.6 }, 'small', 'small_text'],
  ['nothing, if none knows it', { small: 1.51, large: 2 }, null, 'unfamiliar'],
] as const)('what models make of the text counts: %s', (_, nats, id, because) => {
  const models = [model('small'), model('large', { parameters: 360e6 })];
  const facts = { models, textBytes: 3e5, isPrepared: false, language: null, familiarities: familiarities(nats) };
  expect(recommendBeginning(facts)).toEqual({ model: id, because });
});

it('a model that knows the text is downloaded before one that is here and does not', () => {
  const models = [model('here', { languages: null }), model('far', { state: 'absent' })];
  const facts = {
    models,
    textBytes: 3e5,
    isPrepared: false,
    language: 'en',
    familiarities: familiarities({ here: 2.2 }),
  };
  expect(recommendBeginning(facts).model).toBe('far');
  expect([1.49, 1.5, 1.51].map((nats_per_character) => isFamiliar({ nats_per_character, baseline: 2.5 }))).toEqual([
    true,
    true,
    false,
  ]);
});

it('larger models with as many tokens can teach one, the smallest of them first', () => {
  const models = [
    model('itself'),
    model('large', { parameters: 1.7e9 }),
    model('of another family', { parameters: 5e8, vocabulary: 151_936 }),
    model('larger', { parameters: 3.6e8 }),
    model('unknown', { parameters: null, vocabulary: null }),
  ];
  const found = teachersAmong(models, { parameters: 135e6, vocabulary: 49_152 });
  expect(found.map(({ id }) => id)).toEqual(['larger', 'large']);
});
