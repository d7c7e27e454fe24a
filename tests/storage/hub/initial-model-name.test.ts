/** What the model that a project begins from is called where a person reads it. */
import { expect, it } from 'vitest';
import { initialModelName } from '../../../main/storage/hub/initial-model-name.js';
import { sampleModelPath } from '../../../main/installation/locations.mjs';

const named = (init_from?: string) => initialModelName({ init_from });

it('is its title in the list of models, not a file’s name', () => {
  expect(named(sampleModelPath())).toBe('SmolLM2-135M Instruct');
  expect(named('HuggingFaceTB/SmolLM2-360M')).toBe('SmolLM2 360M');
});

it('is the name of an unlisted model, with that of its project', () => {
  expect(named('/home/me/models/mine.gguf')).toBe('mine.gguf');
  expect(named('someone/a-model')).toBe('someone/a-model');
  expect(named('/home/me/Verisim/novel/checkpoints/base_model_v2')).toBe('novel, base_model_v2');
  expect(named()).toBeNull();
});
