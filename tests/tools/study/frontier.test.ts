/** What the study says of curves: the best rival, by how much the cycles beat it, and whether that is enough. */
import { describe, expect, it } from 'vitest';
import { frontierResult, gainsWith, type Way } from '../../../tools/study/frontier/summary.js';
import type { WrittenPoint } from '../../../main/engine/cycle/passage-curves.js';

const COUNT = 64;
const filled = (value: number) => new Float64Array(COUNT).fill(value);
const point = (nats: number, variety: number): WrittenPoint => ({
  ...{ temperature: 1, nats: filled(nats * 100), characters: filled(100), variety: filled(variety) },
  ...{ selfBleu: filled(0), copied: filled(0), entropy: null, sample: '' },
});
/** At the variety 0.5 of the base model, with 2 nats per character, so much better. */
const gaining = (gain: number) => [point(1.9 - gain, 0.4), point(2.1 - gain, 0.6)];
const same = (gain: number): Way => ({ curve: gaining(gain), size: 'same' });
const base = point(2, 0.5);

describe('whether the cycles paid', () => {
  it('is decided by the best rival, and by a half more than it', () => {
    const told = frontierResult(base, gaining(0.3), { trained_on: same(0.1), distilled: same(0.15) }, 1);
    expect(told).toMatchObject({ best_rival: 'distilled', paid: true });
    expect(told.cycle_gain).toBeCloseTo(0.3, 10);
    expect(told.ratio).toBeCloseTo(2, 10);
    expect(frontierResult(base, gaining(0.2), { distilled: same(0.15) }, 1).paid).toBe(false);
    expect(frontierResult(base, gaining(-0.1), { temperature: same(0) }, 1)).toMatchObject({ paid: false });
  });

  it('is told apart for rivals of the writer’s size', () => {
    const rivals = { trained_on: same(0.1), critic: { curve: gaining(0.5), size: 'larger' } as Way };
    const told = frontierResult(base, gaining(0.3), rivals, 1);
    expect(told).toMatchObject({ best_rival: 'critic', paid: false });
    expect(told.same_size).toMatchObject({ best_rival: 'trained_on', paid: true });
  });

  it('leaves out rivals that never come to the base model’s variety', () => {
    const narrow: Way = { curve: [point(1, 0.2), point(1.1, 0.3)], size: 'same' };
    const told = frontierResult(base, gaining(0.2), { top_p: narrow, trained_on: same(0.1) }, 1);
    expect(told.rivals['top_p']).toBeNull();
    expect(told.best_rival).toBe('trained_on');
  });

  it('is told apart for somebody who leaves out unlikely tokens either way', () => {
    const told = gainsWith(base, gaining(0.3), gaining(0.1), 1);
    expect(told.gain.mean).toBeCloseTo(0.3, 10);
    expect(told.lead.mean).toBeCloseTo(0.2, 10);
  });
});
