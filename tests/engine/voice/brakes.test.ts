/** The brakes are the text's own values, and the first that is crossed is named. */
import { describe, expect, it } from 'vitest';
import { reportSchema, voiceBrakes, type VoiceFigures } from '../../../shared/reports/report.js';
import { crossed, limitsOf, type Look } from '../../../main/engine/voice/brakes.js';

const at = (mean: number) => ({ mean, interval: null });
const figures = (repeated: number, copied: number, log_ratio: number): VoiceFigures => ({
  ...{ characters: at(0.9), words: at(0.9), detector: null, distinct_3: 0.9, passages: 100 },
  ...{ repeated: at(repeated), copied: at(copied), log_ratio: at(log_ratio) },
});
const text = figures(0.028, 0.012, 0.485);
const limits = limitsOf(figures(0.025, 0.005, 0.455), text, { held_out: 3.777, distinct_3: 0.9 });
const within: Look = { held_out: 3.79, log_ratio: 0.52, repeated: 0.03, copied: 0.01, distinct_3: 0.9 };

describe('brakes', () => {
  it('let pass what stays at the text’s own values', () => {
    expect(crossed(within, limits)).toBeNull();
  });

  it.each([
    ['held_out', 3.8],
    ['held_out', NaN],
    ['log_ratio', 0.64],
    ['repeated', 0.036],
    ['copied', 0.03],
    ['distinct_3', 0.8],
  ] as const)('stop at %s of %d', (brake, value) => {
    expect(crossed({ ...within, [brake]: value }, limits)).toBe(brake);
    expect(voiceBrakes).toContain(brake);
  });

  it('allow a version that repeats more than the text what it did before', () => {
    const repetitive = limitsOf(figures(0.06, 0.005, 0.455), text, { held_out: 3.777, distinct_3: 0.9 });
    expect(crossed({ ...within, repeated: 0.07 }, repetitive)).toBeNull();
    expect(crossed({ ...within, repeated: 0.08 }, repetitive)).toBe('repeated');
  });

  it.each([
    [0.84, 0.9, 0.855],
    [0.95, 0.9, 0.87],
    [0.6, 0.88, 0.836],
  ])(
    'keep 95 %% of the variety of a version that learns from choices: text %d, version %d',
    (ofText, variety, least) => {
      const chosen = limitsOf({ ...figures(0.025, 0.005, 0.455), variety }, text, {
        held_out: 3.777,
        distinct_3: ofText,
      });
      expect(crossed({ ...within, distinct_3: least + 1e-6 }, chosen)).toBeNull();
      expect(crossed({ ...within, distinct_3: least - 1e-6 }, chosen)).toBe('distinct_3');
    },
  );
});

it('a report of a version that another Verisim measured differently is read without its voice', () => {
  const report = { cycle: 0, name: 'base_model_v1', val_loss: 1, perplexity: 3, samples: [], voice: { version: 1 } };
  expect(reportSchema.parse(report).voice).toBeNull();
});
