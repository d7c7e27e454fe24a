/** The diagnosis of a failed step: the tensor that failed first, in the order in which numbers flow. */
import { describe, expect, it } from 'vitest';
import { diagnoseDivergence } from '../../../main/engine/train/divergence.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { withPrefix } from '../../../main/engine/model/named-arrays.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import { tinyModel } from '../../support/engine.js';
import { inEnglish } from '../../support/messages.js';

const weights = initialWeights(tinyModel, 1);
const [embedding, middle, last] = [
  'transformer.wte.weight',
  'transformer.h.1.mlp.c_fc.weight',
  'transformer.ln_f.weight',
] as const;

/** `named` with one value of some arrays replaced. */
const withValue = (named: NamedArrays, value: number, ...names: readonly string[]): NamedArrays =>
  Object.fromEntries(
    Object.entries(named).map(([name, { shape, data }]) => {
      if (!names.includes(name)) return [name, { shape, data }];
      return [name, { shape, data: data.map((old, i) => (i === 3 ? value : old)) }];
    }),
  );

/** @param gradients whose first moments the step left */
const diagnosisOf = (found: NamedArrays, loss: number, gradients: NamedArrays = weights): string =>
  inEnglish(diagnoseDivergence({ model: tinyModel, weights: found, loss, moments: withPrefix(gradients, 'm.') }));

describe('what went wrong', () => {
  it.each([NaN, Infinity, -Infinity])('is the first weight that holds %d, in the order of the network', (value) => {
    expect(diagnosisOf(withValue(weights, value, last, middle), NaN)).toContain(`is ${middle}: it holds`);
    expect(diagnosisOf(withValue(weights, value, last, middle, embedding), NaN)).toContain(`is ${embedding}: it holds`);
  });

  it('is the overflow of the scores when every weight is finite and the loss is not, with the largest weight', () => {
    const words = diagnosisOf(withValue(weights, -7e20, middle), Infinity);
    expect(words).toContain('All weights were finite');
    expect(words).toContain(`7e20, were in ${middle}`);
  });

  it('is the gradient nearest to the loss when weights and loss are finite', () => {
    expect(diagnosisOf(weights, 2, withValue(weights, NaN, embedding, middle))).toContain(`the gradient of ${middle}`);
    expect(diagnosisOf(weights, 2, withValue(weights, Infinity, embedding))).toContain(`the gradient of ${embedding}`);
  });

  it('is the whole gradient when its length is not a number and it was clipped by that', () => {
    expect(diagnosisOf(weights, 2, withValue(weights, NaN, ...Object.keys(weights)))).toContain('its gradient is not');
  });

  it('is the length of the gradient when each part of it is finite', () => {
    expect(diagnosisOf(weights, 2)).toContain('their total norm is not');
  });
});
