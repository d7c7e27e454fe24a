/** A stored place is used while a screen shows it; the window is always within reach and large enough. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fittingPlace, smallest } from '../../main/app/window-place.js';

const screen = { x: 0, y: 0, width: 1920, height: 1080 };
const second = { x: 1920, y: 0, width: 2560, height: 1440 };

test('without a stored place the window is in the middle of the main screen', () => {
  const { x, y, width, height } = fittingPlace(null, [screen, second]);
  expect([2 * x + width, 2 * y + height]).toEqual([screen.width, screen.height]);
});

test('a place on a second screen is used, and moves to the main one when that screen is gone', () => {
  const stored = { x: 2000, y: 100, width: 1200, height: 800, maximized: true };
  expect(fittingPlace(stored, [screen, second])).toEqual(stored);
  const moved = fittingPlace(stored, [screen]);
  expect(moved).toMatchObject({ width: 1200, height: 800, maximized: true });
  expect(moved.x + moved.width).toBeLessThanOrEqual(screen.width);
});

test('whatever was stored, the window can be reached and is large enough', () => {
  const number = fc.integer({ min: -10_000, max: 10_000 });
  const size = fc.integer({ min: 1, max: 20_000 });
  const place = fc.record({ x: number, y: number, width: size, height: size, maximized: fc.boolean() });
  fc.assert(
    fc.property(place, (stored) => {
      const { x, y, width, height } = fittingPlace(stored, [screen, second]);
      expect(width).toBeGreaterThanOrEqual(smallest.width);
      expect(height).toBeGreaterThanOrEqual(smallest.height);
      const reachable = [screen, second].some(
        (area) => y >= area.y && y < area.y + area.height && x < area.x + area.width && x + width > area.x,
      );
      expect(reachable).toBe(true);
    }),
  );
});
