/** Durations and moments as people read them. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aboutParts, aboutSeconds, formatAgo, formatDuration, formatMoment } from '../../shared/base/time.js';
import { durationShown } from '../support/durations.js';

describe('durations', () => {
  it('use the two units that matter', () => {
    expect(formatDuration(45, 'en-GB')).toBe('45 secs');
    expect(formatDuration(200, 'en-GB')).toBe('3 mins 20 secs');
    expect(formatDuration(3000, 'en-GB')).toBe('50 mins');
    expect(formatDuration(7500, 'en-GB')).toBe('2 hrs 5 mins');
    expect(formatDuration(3 * 86400, 'en-GB')).toBe('3 days');
  });

  it('never show sixty of anything, nor less than nothing', () => {
    for (let seconds = 0; seconds < 200_000; seconds += 7) {
      expect(formatDuration(seconds, 'en-GB')).not.toMatch(/\b60 (sec|min)|days? 24 hr/);
    }
    expect(formatDuration(-5, 'en-GB')).toBe('0 secs');
    expect(formatDuration(null, 'en-GB')).toBe('–');
  });
});

describe('moments', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  it('are told from now', () => {
    expect(formatAgo('2026-11-21T11:42:00Z', now, 'en-GB')).toBe('18 minutes ago');
    expect(formatAgo('2026-11-20T10:00:00Z', now, 'en-GB')).toBe('yesterday');
    expect(formatAgo('2026-11-21T11:59:50Z', now, 'en-GB')).toBe('now');
    expect(formatAgo('2025-01-02T12:00:00Z', now, 'en-GB')).toBe('2 Jan 2025');
  });

  it('are a dash when they are none', () => {
    expect(formatAgo('soon', now)).toBe('–');
    expect(formatMoment('soon')).toBe('–');
  });
});

describe('estimates', () => {
  it('are as exact as an estimate can be', () => {
    expect([3.4, 43, 187, 4000, 90_000].map(aboutSeconds)).toEqual([3, 45, 190, 4020, 90_000]);
  });

  it('of parts add up as they are shown, to the unit of their sum', () => {
    const part = fc.record({
      seconds: fc.double({ min: 0, max: 3e6, noNaN: true }),
      times: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const about = aboutParts(parts);
        const shown = about.parts.map((seconds) => durationShown(formatDuration(seconds, 'en-GB')).seconds);
        const sum = shown.reduce((all, seconds, at) => all + seconds * (parts[at]?.times ?? NaN), 0);
        const total = durationShown(formatDuration(about.total, 'en-GB'));
        // Where the sum is told in seconds, they are the parts' very seconds: 4 s and 5 s are 9 s.
        expect(Math.abs(total.seconds - sum)).toBeLessThanOrEqual(total.unit === 1 ? 0 : total.unit / 2);
        // And a part is near what it was.
        for (const [at, seconds] of shown.entries())
          expect(Math.abs(seconds - (parts[at]?.seconds ?? NaN))).toBeLessThanOrEqual(Math.max(0.5, seconds / 7));
      }),
    );
  });

  it('of parts come to what they show', () => {
    expect(
      aboutParts([
        { seconds: 4.4, times: 1 },
        { seconds: 4.3, times: 1 },
      ]),
    ).toEqual({ parts: [4, 4], total: 8 });
    expect(
      aboutParts([
        { seconds: 61, times: 1 },
        { seconds: 4.6, times: 3 },
      ]),
    ).toEqual({ parts: [60, 5], total: 75 });
    expect(
      aboutParts([
        { seconds: null, times: 1 },
        { seconds: 5, times: 1 },
      ]),
    ).toEqual({ parts: [null, 5], total: null });
  });
});
