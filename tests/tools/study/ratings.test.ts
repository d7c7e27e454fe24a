/** The study of human evaluation, in small: what `npm run study:ratings` finds with twenty times as many raters. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { main } from '../../../tools/study/ratings/index.js';
import { studyRatings } from '../../../tools/study/ratings/simulate.js';

it('finds what is promised, up to the chance of a small study', () => {
  const found = studyRatings(3, 0.05);
  // 500 studies of equals at a true 3.5 %; 100 of intervals, 300 ratings.
  expect(found.false_stop_rate).toBeLessThan(0.06);
  expect(found.false_stop_rate).toBeGreaterThan(0.01);
  for (const [share, votes] of [
    ['0.70', 44],
    ['0.65', 84],
    ['0.60', 193],
  ] as const) {
    // oxfmt-ignore
    expect(Math.abs(found.median_votes[share] / votes - 1), share).toBeLessThan(0.25);
  }
  expect(found.named_right).toBeGreaterThan(0.94);
  for (const coverage of [found.coverage, found.coverage_with_control, found.coverage_of_ratings]) {
    expect(coverage).toBeGreaterThan(0.89);
  }
  expect(found.width_ratio).toBeLessThan(0.97);
  expect(found.width_ratio_uninformative).toBeGreaterThan(0.99);
  expect(found.width_ratio_uninformative).toBeLessThan(1.02);
  // A seed gives the same study.
  expect(studyRatings(3, 0.005)).toEqual(studyRatings(3, 0.005));
});

it('refuses what it does not understand', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const file = join(mkdtempSync(join(tmpdir(), 'verisim-')), 'study.json');
  expect(main(['--seed', 'x', '--json', file])).toBe(2);
  expect(main(['--quick'])).toBe(2);
  expect(said.mock.calls.flat().join('')).toContain('npm run study:ratings');
  expect(() => readFileSync(file)).toThrow();
  said.mockRestore();
});
