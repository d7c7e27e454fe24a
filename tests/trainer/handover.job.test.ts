/** A project of which every phase is done by another run of the trainer, for want of memory, ends in the same bytes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { cycleJob } from '../../main/jobs/project/cycle.js';
import { createWorkClock } from '../../main/trainer/work-clock.js';
import { createHandover } from '../../main/trainer/handover.js';
import { runProject, type Ended } from '../../main/trainer/project-run.js';
import { testContext } from '../jobs/context.js';
import { newProject, outcome, projectsHome, withoutTensorflow } from '../supervisor/project.js';

projectsHome();
withoutTensorflow();

let reference: Record<string, string> = {};
beforeAll(async () => {
  const whole = await newProject('at-once');
  await cycleJob({ folder: whole, settings: null, given: {} }, testContext(undefined, 'wasm').context);
  reference = outcome(whole);
});

/**
 * @param free bytes, whenever it is asked
 * @returns the phases that took a step; what is done already is found again without one
 */
async function runOn(folder: string, free: number) {
  const worked: string[] = [];
  const { ended } = runProject({
    ...{ folder, given: {}, earlier: [], clock: createWorkClock(() => performance.now()) },
    handover: createHandover(() => free, 1),
    send: (message) => {
      if (message.message !== 'event' || message.event.event !== 'progress') return;
      const { phase } = message.event;
      // GRPO measures before and after.
      if (worked.at(-1) !== phase && phase !== 'evaluation') worked.push(phase);
    },
  });
  return { ended: await ended, worked };
}

it('ends after each phase while memory is short, and goes on where it ended', async () => {
  const folder = await newProject('in-parts');
  const ends: Ended[] = [];
  const worked: string[][] = [];
  while (ends.at(-1)?.outcome !== 'finished' && ends.length < 20) {
    const part = await runOn(folder, 0);
    worked.push(part.worked);
    ends.push(part.ended);
  }
  expect(worked).toEqual([['base_training'], ['reward_data'], ['reward_model'], ['grpo']]);
  const continues = { outcome: 'continues', fault: null };
  expect(ends).toEqual([continues, continues, continues, { outcome: 'finished', fault: null }]);
  expect(outcome(folder)).toEqual(reference);
  const told = readFileSync(join(folder, 'events.jsonl'), 'utf8');
  expect(told).not.toContain('"event":"error"');
  expect(told.match(/cycle_advice/g)).toHaveLength(1);
});

it('does everything at once where there is memory enough', async () => {
  const { ended } = await runOn(await newProject('roomy'), Infinity);
  expect(ended).toEqual({ outcome: 'finished', fault: null });
});
