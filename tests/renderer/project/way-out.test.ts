/** What is suggested when training has diverged. */
import { expect, it } from 'vitest';
import type { Fault } from '../../../shared/errors.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { effectiveSettings } from '../../../renderer/wizard/problems.js';
import { needsOtherSettings, wayOut } from '../../../renderer/project/way-out.js';

const diverged: Fault = { code: 'diverged', message: 'The loss became NaN.', hint: '', field: 'learning_rate' };
const usual = Number(effectiveSettings('nano', {})['learning_rate']);
const suggested = (config: GivenSettings, fault: Fault | null = diverged) =>
  wayOut({ summary: { fault, preset: 'nano' }, config });

it('is the usual learning rate where it was above, and a tenth of it where it was not', () => {
  expect(suggested({ learning_rate: 1e20, min_lr: 1e-5 })).toEqual({
    ...{ key: 'learning_rate', from: 1e20, to: usual, set: { learning_rate: usual } },
  });
  expect(suggested({ learning_rate: usual, min_lr: 0 })?.to).toBeCloseTo(usual / 10, 12);
});

it('does not leave a least learning rate above it', () => {
  expect(suggested({ learning_rate: 1e20, min_lr: 1e19 })?.set).toEqual({ learning_rate: usual, min_lr: usual / 10 });
});

it('is nothing where something else went wrong', () => {
  expect(suggested({ learning_rate: 1e20 }, { ...diverged, code: 'disk_full' })).toBeNull();
  expect(suggested({ learning_rate: 1e20 }, { ...diverged, field: 'nothing' })).toBeNull();
  expect(suggested({ learning_rate: 1e20 }, null)).toBeNull();
});

it('is other settings where the same again comes to the same, and not where something outside was in the way', () => {
  expect(needsOtherSettings(diverged)).toBe(true);
  expect(needsOtherSettings({ ...diverged, code: 'text_too_short' })).toBe(true);
  expect(needsOtherSettings({ ...diverged, code: 'disk_full' })).toBe(false);
  expect(needsOtherSettings(null)).toBe(false);
});
