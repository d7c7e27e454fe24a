/** What follows from a project's state: each state is one that a person can act upon, and nothing twice. */
import { expect, it } from 'vitest';
import { projectSummary } from '../../../shared/contract/projects.js';
import { canStart, hasEndedEarly, isTraining, isUnreadable, phaseState } from '../../../renderer/project/states.js';

const states = projectSummary.shape.state.options;

it('is one of few things at a time, and nothing of what is not known', () => {
  const is = { canStart, isTraining, isUnreadable };
  const found = states.map((state) => [state, Object.keys(is).filter((name) => is[name as keyof typeof is](state))]);
  expect(Object.fromEntries(found)).toEqual({
    ...{ new: ['canStart'], stopped: ['canStart'], failed: ['canStart'] },
    ...{ running: ['isTraining'], paused: ['isTraining'] },
    ...{ missing: ['isUnreadable'], damaged: ['isUnreadable'] },
    ...{ queued: [], awaiting_votes: [], finished: [], elsewhere: [] },
  });
  expect([canStart, isTraining, isUnreadable].map((one) => one(undefined))).toEqual([false, false, false]);
});

it('ended early by a rule, not by having done every cycle', () => {
  const early = (state: (typeof states)[number], ended: Parameters<typeof hasEndedEarly>[0]['ended']) =>
    hasEndedEarly({ state, ended });
  expect([early('finished', 'critic'), early('finished', 'people')]).toEqual([true, true]);
  expect([early('finished', 'max_cycles'), early('finished', null), early('running', 'critic')]).toEqual([
    false,
    false,
    false,
  ]);
});

it('says of a project that is finished what it ended without, and of every other what is to come', () => {
  expect(states.filter((state) => phaseState('waiting', state) === 'left_out')).toEqual(['finished']);
  expect((['running', 'finished'] as const).map((state) => phaseState(state, 'finished'))).toEqual([
    'running',
    'finished',
  ]);
});
