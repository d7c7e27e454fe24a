// How often something may happen.
import { describe, expect, it } from 'vitest';
import { createRate } from '../../main/ipc/rate.js';

describe('createRate', () => {
  it('lets a burst through, then so many a second', () => {
    let now = 0;
    const rate = createRate(2, 3, () => now);
    expect([1, 2, 3, 4].map(() => rate.take())).toEqual([true, true, true, false]);
    now = 500;
    expect([rate.take(), rate.take()]).toEqual([true, false]);
    now = 60_000;
    expect([1, 2, 3, 4].map(() => rate.take())).toEqual([true, true, true, false]);
  });
});
