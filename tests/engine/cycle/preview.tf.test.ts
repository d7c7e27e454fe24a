/** What a text and settings come to: exact where all was read, scaled where not, with warnings that do not read words. */
import { describe, expect, it } from 'vitest';
import { previewText, type PreviewInput } from '../../../main/engine/cycle/preview.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { generatorOf } from '../../../shared/config/model.js';
import { trainingFlops } from '../../../shared/costs/network.js';
import { guessedSpeed } from '../../../shared/costs/work.js';
import { planSamples } from '../../../main/engine/reward/reward-data.js';
import { uniformInt } from '../../../main/engine/rng.js';
import { createCharTokenizer, loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';

/** Words in random order: no long repeats. */
const varied = (words: number): string =>
  Array.from({ length: words }, (_, i) => {
    const word = ['sea', 'ship', 'whale', 'deep', 'wind', 'mast', 'calm'][uniformInt(1, 0, 0, i, 7)] ?? '';
    return i % 9 === 8 ? `${word}\n` : `${word} `;
  }).join('');
const tokenizerOf = (text: string) => createCharTokenizer([...new Set(text)].sort());

const config = projectConfigSchema.parse({
  block_size: 32,
  n_layer: 1,
  n_head: 1,
  n_embd: 4,
  samples_per_chunk: 2,
  batch_size: 4,
  max_iters: 10,
  eval_iters: 1,
});
const preview = (sample: string, changes: Partial<PreviewInput> = {}) => {
  const tokenizer = changes.tokenizer ?? tokenizerOf(sample);
  return previewText({
    ...{
      sample,
      bytesRead: sample.length,
      bytesTotal: sample.length,
      sampleSeconds: 1,
      tokenizer,
    },
    ...{
      config,
      model: generatorOf(config, tokenizer.vocabSize),
      crossover: 8,
      written: null,
      speed: guessedSpeed(1e9),
    },
    ...changes,
  });
};

describe('a preview', () => {
  it('has the minutes of base training as time, unless a trained model has read a small text enough before', () => {
    const [long, short] = [varied(40_000), varied(2000)];
    const minutes = { ...config, train_minutes: 1 };
    const whole = preview(long, { config: minutes }).seconds;
    expect(whole.prepare + (whole.base_training ?? 0)).toBeCloseTo(60, -1);
    const { seconds } = preview(short, { config: { ...minutes, init_from: 'm' } });
    expect(seconds.base_training).toBeLessThan(30);
  });

  it('of a whole text is exact, and counts the samples that will be made', () => {
    const text = varied(40_000);
    const found = preview(text);
    expect(found).toMatchObject({ exact: true, characters: text.length, tokens: text.length, tokens_per_character: 1 });
    expect(found.used_tokens).toBe(found.vocab_size);
    const train = Math.floor(text.length * 0.9);
    const planned = (length: number, split: 'train' | 'val') =>
      planSamples({ length, blockSize: 32, samplesPerChunk: 2, limit: null, split, seed: 1 }).length;
    expect(found.samples).toEqual({ train: planned(train, 'train'), val: planned(text.length - train, 'val') });
    expect(found.disk.reward_data).toBe((found.samples.train + found.samples.val) * (2 * 32 + 8));
    expect(found.disk.tokens).toBe(2 * text.length);
    expect(found.first_lines).toEqual(text.split('\n').slice(0, 8));
    expect(found.warnings).toEqual([]);
  });

  it('of the beginning of a text is scaled to the whole', () => {
    const text = varied(40_000);
    const [part, whole] = [preview(text, { bytesTotal: 10 * text.length }), preview(text)];
    expect(part).toMatchObject({ exact: false, tokens: 10 * text.length, characters: 10 * text.length });
    expect(part.seconds.prepare).toBeCloseTo(10 * whole.seconds.prepare);
    expect(part.tokens_per_character).toBe(1);
  });

  it('counts characters, not UTF-16 units, and tokens of bpe', async () => {
    const text = '\u{1f600}é中 word '.repeat(500);
    const bpe = await loadBpeTokenizer();
    const found = preview(text, { tokenizer: bpe });
    expect(found.characters).toBe(500 * 9);
    expect(found.tokens).toBe(bpe.encode(text).length);
    expect(found.tokens_per_character).toBeCloseTo(found.tokens / found.characters);
  });

  it('shows a sample with its natural part and what a model made of the rest', () => {
    const text = varied(4000);
    const natural = text.slice(0, 8);
    expect(preview(text).example).toEqual({ natural, rest: text.slice(8, 32), generated: false, natural_share: 0.25 });
    const written = tokenizerOf(text).encode(`${natural}whale whale whale whale `.slice(0, 32));
    expect(preview(text, { written }).example).toMatchObject({ rest: 'whale whale whale whale ', generated: true });
  });

  it('estimates time from what the machine was seen to do, and says nothing where it was not looked at', () => {
    const text = varied(4000);
    const { seconds } = preview(text);
    const model = generatorOf(config, tokenizerOf(text).vocabSize);
    const trained = trainingFlops(model) * 32 * 4 * 10;
    expect(seconds.base_training).toBeGreaterThan(trained / 0.5e9);
    expect(seconds.base_training).toBeLessThan((2 * trained) / 0.5e9); // evaluations besides
    const unknown = preview(text, { speed: guessedSpeed(null) }).seconds;
    expect(unknown).toMatchObject({ base_training: null, reward_data: null });
  });

  it('keeps to the limits on samples', () => {
    const limited = { ...config, reward_train_samples: 7, reward_val_samples: 3 };
    expect(preview(varied(4000), { config: limited }).samples).toEqual({ train: 7, val: 3 });
  });

  it('warns of texts that are too short, very small or repetitive, in any script', () => {
    const codes = (text: string) => preview(text).warnings.map(({ code }) => code);
    expect(codes('too short a text for this')).toEqual(['too_short']);
    expect(codes(varied(2000))).toEqual(['very_small']);
    expect(preview(varied(2000), { config: { ...config, init_from: '/a/model' } }).warnings).toEqual([]);
    const han = Array.from({ length: 900 }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * i * 31 + i * 17) % 5003)),
    ).join('');
    expect(codes(han.repeat(200))).toEqual(['repetitive']);
    expect(preview('').warnings.map(({ code }) => code)).toEqual(['too_short']);
  });
});
