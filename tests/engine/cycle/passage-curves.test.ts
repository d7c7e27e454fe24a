/** The text itself beside the writers: how varied it is, where so little of it is held out that passages lie over each other. */
import { expect, it } from 'vitest';
import { createPassages } from '../../../main/engine/cycle/passage-curves.js';
import { allRows, meanVariety } from '../../../main/engine/statistics/frontier.js';
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { testEnvironment } from '../../support/engine.js';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const T = 16;
const count = 20;
/** Numbers 0 to 25 that repeat after 17,576 only, and never begin alike within one passage's reach. */
const text = (length: number) => Uint32Array.from({ length }, (_, at) => (at * at * 7 + Math.floor(at / 26) * 11) % 26);

it('tells how varied as many passages of the text are, however little is held out', async () => {
  const train = tokensInMemory(text(T * count * 2));
  const judged = async (valLength: number) => {
    const passages = createPassages({
      judge: (written) =>
        Promise.resolve({
          nats: new Float64Array(written.length).fill(2),
          characters: Float64Array.from(written, ({ completion }) => completion.length),
        }),
      ...{ valTokens: tokensInMemory(text(valLength)), trainTokens: train, copies: createCopyIndex(train) },
      vocabulary: { decode: (ids) => Array.from(ids, (id) => letters[id]).join('') },
      ...{ tokenization: 'char', vocabLimit: 26, blockSize: T, passages: count, seed: 1, env: await testEnvironment() },
    });
    const natural = await passages.natural();
    passages.dispose();
    return { variety: meanVariety(natural, allRows(count)), sample: natural.sample, bleu: natural.selfBleu };
  };
  // All passages are the same one: of the held-out text's own stretches none would be new.
  const little = await judged(T);
  const much = await judged(T * count);
  expect(little.sample.replace('|', '')).toHaveLength(T);
  expect(little.variety).toBeGreaterThan(0.5);
  expect(little.variety).toBe(much.variety);
  expect(little.bleu).toEqual(much.bleu);
});
