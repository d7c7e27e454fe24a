/** What AdamW stores and restores; tests/parity/model.shipped.test.ts compares its updates with PyTorch's. */
import { expect, it } from 'vitest';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { createAdamW } from '../../../main/engine/train/optimizer.js';
import { testEnvironment, tinyModel } from '../../support/engine.js';

const config = { weightDecay: 0.1, gradClip: 1 };

it('stores two moments of each parameter, restores them, and starts at zero where an earlier version stored one', async () => {
  const { runtime } = await testEnvironment();
  const session = runtime.createSession();
  const weights = initialWeights(tinyModel, 3);
  const [whole = '', alone = ''] = Object.keys(weights);
  const { shape = [] } = weights[whole] ?? {};
  const ones = (shape: readonly number[]) => ({
    shape,
    data: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(1),
  });
  const saved = {
    [`m.${whole}`]: ones(shape),
    [`v.${whole}`]: ones(shape),
    // Muon had no second moment.
    [`m.${alone}`]: ones(weights[alone]?.shape ?? []),
  };
  const moments = createAdamW(session, createParameters(session, weights), config, saved).read();
  expect(Object.keys(moments).sort()).toEqual(
    Object.keys(weights)
      .flatMap((name) => [`m.${name}`, `v.${name}`])
      .sort(),
  );
  expect(moments[`v.${whole}`]?.data.every((value) => value === 1)).toBe(true);
  expect(moments[`m.${alone}`]?.data.every((value) => value === 0)).toBe(true);
  session.dispose();
});
