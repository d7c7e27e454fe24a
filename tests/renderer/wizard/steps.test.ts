/** The wizard's pages hold every setting of a project, each once. */
import { expect, it } from 'vitest';
import { describeShape } from '../../../shared/config/fields.js';
import { projectShape } from '../../../shared/config/index.js';
import { fieldForFile, stepGroups, stepNames, stepOf } from '../../../renderer/wizard/steps.js';

const placed = Object.values(stepGroups).flatMap((groups) => groups.flatMap(({ fields }) => fields));

it('every setting is on exactly one page', () => {
  const all = describeShape(projectShape).map(({ key }) => key);
  expect([...placed].sort()).toEqual(all.sort());
  expect(new Set(placed).size).toBe(placed.length);
});

it('a problem leads to the page of its field, and to the review when it has none', () => {
  for (const key of placed) expect(stepNames).toContain(stepOf(key));
  expect(stepOf('n_embd')).toBe('model');
  expect(stepOf('kl_cap')).toBe('grpo');
  expect(stepOf(null)).toBe('review');
  expect(stepOf('of_no_page')).toBe('review');
});

it('a dropped file goes to the field of its name', () => {
  expect(fieldForFile('book.txt')).toBe('data_path');
  expect(fieldForFile('train.bin')).toBe('train_bin');
  expect(fieldForFile('VAL.BIN')).toBe('val_bin');
  expect(fieldForFile('meta.pkl')).toBe('meta_path');
  expect(fieldForFile('texts')).toBe('data_path');
});
