/** Language models of the pattern that reward models are tested on. */
import { trainBase } from '../../../main/engine/train/train.js';
import type { LanguageModel } from '../../../main/engine/types.js';
import { memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

/** The natural text, which follows a rule. */
export const patternText = { train: patternTokens(3000), val: patternTokens(600) };

/** Trains a model of the pattern for so many steps. */
export async function patternModel(maxIters: number): Promise<LanguageModel> {
  const train = tinyConfig({ max_iters: maxIters, eval_interval: maxIters });
  const split = { trainTokens: patternText.train, valTokens: patternText.val };
  const env = await testEnvironment();
  const { weights } = await trainBase({ model: tinyModel, train, seed: 1, ...split, slot: memorySlot(), env });
  return { model: tinyModel, weights };
}
