/**
 * Killed at any moment, also while recovering from having been killed, a project loses nothing. A few kills at other moments
 * each time; `npm run crash -- --kills 1000` is the proof.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, killOften, openWorkshop, type Workshop } from './harness.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.dispose());

describe('kill -9', () => {
  it.each([1, 2, 3])(
    'six times in a row (%i of 3): the finished project is the same',
    { timeout: 600_000 },
    async (part) => {
      const seed = Date.now() + part;
      try {
        expect(await killOften(workshop, 6, createRandom(seed))).toBe(6);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    },
  );
});
