/** Values to try, as they are typed and marked. */
import { expect, it } from 'vitest';
import { parseTyped } from '../../../shared/numbers.js';
import { choicesOf } from '../../../renderer/strings/parameters.js';
import { sweepableSettings, sweepValues } from '../../../renderer/wizard/sweep.js';

const field = (key: string, hasModel = false) => {
  const found = sweepableSettings(hasModel).find((one) => one.key === key);
  if (!found) throw new Error(key);
  return found;
};
const typed = (key: string, text: string, locale = 'en-GB') =>
  sweepValues(field(key), { key, typed: text, marked: [] }, (part) => parseTyped(part, locale));

it('reads numbers as the person writes them, each once, and leaves what is none to the check', () => {
  expect(typed('learning_rate', '1e-3; 0.003;0.001; ;\n2e-3')).toEqual([0.001, 0.003, 0.002]);
  expect(typed('learning_rate', '0,001; 0,003', 'de-DE')).toEqual([0.001, 0.003]);
  expect(typed('top_k', 'none; 40')).toEqual([null, 40]);
  expect(typed('n_layer', 'many; 2')).toEqual(['many', 2]);
  expect(typed('seed', '')).toEqual([]);
});

it('takes what is marked of choices and switches', () => {
  const marked = (key: string, ...options: string[]) =>
    sweepValues(field(key), { key, typed: '', marked: options }, () => null);
  expect(choicesOf(field('reward_loss'))).toContainEqual({
    value: 'cross_entropy',
    label: 'Cross-entropy',
    description: 'cross_entropy',
  });
  expect(marked('reward_loss', 'mse', 'cross_entropy')).toEqual(['mse', 'cross_entropy']);
  expect(choicesOf(field('bias')).map(({ value, label }) => [value, label])).toEqual([
    ['true', 'on'],
    ['false', 'off'],
  ]);
  expect(marked('bias', 'true', 'false')).toEqual([true, false]);
});

it('offers no files, and nothing that a model to begin from decides', () => {
  const keys = (hasModel: boolean) => sweepableSettings(hasModel).map(({ key }) => key);
  for (const key of ['data_path', 'train_bin', 'init_from', 'input_mode']) expect(keys(false)).not.toContain(key);
  expect(keys(false)).toContain('n_layer');
  expect(keys(true)).not.toContain('n_layer');
  expect(keys(true)).toContain('learning_rate');
});
