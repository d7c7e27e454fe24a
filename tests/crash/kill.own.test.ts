/**
 * Killed at any moment, also while recovering from having been killed, a project loses nothing. A few kills at the same
 * moments each time, so that what fails fails again; `npm run crash -- --kills 1000` is the proof.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, killOften, openWorkshop, type Workshop } from './harness.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.dispose());

const SEED = 17;

/** @throws Error with the seed, which repeats it */
async function finishesAfter(kills: number, at: Workshop): Promise<void> {
  try {
    expect(await killOften(at, kills, createRandom(SEED))).toBe(kills);
  } catch (error) {
    throw new Error(`seed ${SEED}`, { cause: error });
  }
}

describe('kill -9', () => {
  it('five times in a row: the finished project is the same', { timeout: 600_000 }, () => finishesAfter(5, workshop));

  it.each(['adapted', 'taught'] as const)(
    'a project with a model that can write, %s, twice',
    { timeout: 600_000 },
    async (kind) => {
      const own = await openWorkshop(kind);
      try {
        await finishesAfter(2, own);
      } finally {
        own.dispose();
      }
    },
  );
});
