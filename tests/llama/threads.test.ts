/** Threads: as many as cores that other processes leave free, measured over a while. */
import { expect, it } from 'vitest';
import { createThreadChoice, type Usage } from '../../main/llama/threads.js';

/** @param uses cores that this process and all together use, from one look to the next, a second apart */
function choices(cores: number, uses: readonly (readonly [own: number, all: number])[]): number[] {
  let now: Usage = { at: 0, own: 0, all: 0 };
  const choose = createThreadChoice(cores, () => now);
  return uses.map(([own, all]) => {
    now = { at: now.at + 1, own: now.own + own, all: now.all + all };
    return choose();
  });
}

it('takes the cores that others leave, and at least one', () => {
  expect(
    choices(2, [
      [0, 0.1],
      [2, 2],
      [0.9, 2],
      [0.2, 2],
      [0, 0.05],
    ]),
  ).toEqual([2, 2, 1, 1, 2]);
  expect(
    choices(8, [
      [0, 8],
      [4, 6],
      [1, 8],
    ]),
  ).toEqual([1, 6, 1]);
});

it('keeps its choice until enough time has passed', () => {
  let now: Usage = { at: 0, own: 0, all: 0 };
  const choose = createThreadChoice(2, () => now);
  now = { at: 0.1, own: 0, all: 0.2 };
  expect(choose()).toBe(2);
  now = { at: 0.3, own: 0, all: 0.6 };
  expect(choose()).toBe(1);
});
