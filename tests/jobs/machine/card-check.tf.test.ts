/** The training that a graphics card is checked by ends at a known loss. */
import { expect, it } from 'vitest';
import { LAST_LOSS, lastLoss } from '../../../main/jobs/machine/card-check.js';
import { runtimeWithoutXla } from '../../support/engine.js';

it('has the loss of TensorFlow', async () => {
  expect(await lastLoss(await runtimeWithoutXla())).toBeCloseTo(LAST_LOSS, 4);
});
