/** Saving takes its share of the time and no more. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSavingPace } from '../../../main/jobs/run/run-store.js';

it('takes at most its share of the time, but for the first checkpoint', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ work: fc.nat(100), save: fc.integer({ min: 1, max: 300 }) }), {
        minLength: 1,
        maxLength: 300,
      }),
      fc.constantFrom(0.03, 0.2, 1),
      async (steps, share) => {
        let clock = 0;
        const pace = createSavingPace(share, () => clock);
        const saves: { began: number; took: number }[] = [];
        for (const { work, save } of steps) {
          clock += work;
          if (!pace.due()) continue;
          const began = clock;
          clock += save;
          await pace.saved(async () => undefined);
          saves.push({ began, took: clock - began });
        }
        expect(saves[0]?.began).toBe(steps[0]?.work);
        saves.slice(1).forEach(({ began }, index) => {
          const { began: before = 0, took = 0 } = saves[index] ?? {};
          expect(took / (began - before)).toBeLessThanOrEqual(share + 1e-9);
        });
        if (share === 1) expect(saves).toHaveLength(steps.length);
      },
    ),
  );
});

it('counts from the question to the end, and a save that was asked for as well', async () => {
  let clock = 0;
  const pace = createSavingPace(0.5, () => clock);
  expect(pace.due()).toBe(true);
  clock = 10; // reading the weights
  await pace.saved(async () => {
    clock = 20;
  });
  clock = 39;
  expect(pace.due()).toBe(false);
  clock = 40;
  expect(pace.due()).toBe(true);
  await pace.saved(async () => undefined);
  await pace.saved(async () => {
    clock = 60;
  });
  clock = 70;
  expect(pace.due()).toBe(false);
});
