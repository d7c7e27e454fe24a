/** Models to begin from, called as people call them. */
import { expect, it } from 'vitest';
import { modelTitle } from '../../../renderer/format/model-title.js';

it('a project’s own is called by its cycle', () => {
  expect(modelTitle('novel, base_model_v2')).toBe('novel, model after cycle 1');
  expect(modelTitle('SmolLM2 360M')).toBe('SmolLM2 360M');
});

it('one of the hub as in the list of models, or by its name', () => {
  expect(modelTitle('HuggingFaceTB/SmolLM2-360M')).toBe('SmolLM2 360M');
  expect(modelTitle('someone/Fable-0.1B')).toBe('someone/Fable-0.1B');
});
