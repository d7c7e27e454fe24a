/** Stopped anywhere and gone on with in a new process, a project ends with the bytes of an uninterrupted one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interruptAt, openWorkshop, type Workshop } from './harness.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.dispose());

const phases = ['base_training', 'reward_data', 'reward_model', 'grpo'];

describe('a project of two cycles', () => {
  it('comes by every phase, in it and at both of its ends', () => {
    for (const phase of phases) {
      const cycle = phase === 'base_training' ? 0 : 2;
      expect(workshop.whole.places).toContain(`${cycle} ${phase} started`);
      expect(workshop.whole.places).toContain(`${cycle} ${phase} finished`);
      expect(workshop.whole.places.filter((place) => place.startsWith(`${cycle} ${phase} `)).length).toBeGreaterThan(4);
    }
  });

  it('stopped at every phase boundary and inside every phase, ends the same', async () => {
    const inside = /(base_training 5|reward_data \d+|reward_model 6|grpo 3|checkpoint [24])$/;
    // Each kind of boundary once: the end of a phase and the beginning of the next are the same moment.
    const boundary = /^(0|1 \w+ started$|2 \w+ finished$)/;
    const isPoint = (place: string) => (/(started|finished)$/.test(place) ? boundary : inside).test(place);
    const points = workshop.whole.places.filter(isPoint);
    const met = await interruptAt(workshop, points, 'stop');
    expect(met).toEqual(points);
    expect(met.length).toBeGreaterThanOrEqual(18);
  }, 600_000);
});
