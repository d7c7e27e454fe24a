/** Projects: search, labels, states, and what to do next. */
import type { Fault } from '../../../shared/errors.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import type { TrainResult } from '../../../shared/reports/report.js';
import { verbatim } from '../../../shared/messages/message.js';
import {
  canStart,
  hasEndedEarly,
  isTraining,
  isUnreadable,
  phaseState,
  findProjects,
  needsOtherSettings,
  wayOut,
  nextStep,
  stateGroups,
  whyOver,
} from '../../../renderer/project/project.js';
import { labelIn, placesOf } from '../../../shared/base/labels.js';
import { effectiveSettings } from '../../../renderer/wizard/problems.js';
import { expect, it } from 'vitest';
import { modelTitle } from '../../../renderer/format/words.js';
import { projectSummary } from '../../../shared/contract/projects.js';
import { summaries } from '../../../tools/demo/projects.js';

const all = { typed: '', group: 'all', sort: 'changed', descending: true } as const;
const startOf = ({ begins_from, preset }: (typeof summaries)[number]) => begins_from ?? preset;

it('finds projects by every word of name, text and folder', () => {
  const [moby, letters, ...others] = summaries;
  if (!moby || !letters) throw new Error('the demonstration has projects');
  const named = { ...letters, name: 'Für Omi 3e-4' };
  const found = (typed: string) =>
    findProjects([moby, named, ...others], { ...all, typed }, startOf).map(({ id }) => id);
  expect(found('MOBY')).toEqual([moby.id]);
  expect(found('  ')).toHaveLength(summaries.length);
  // The umlaut as a letter and its dots, as some keyboards make it.
  expect(found('fu\u0308r 3E-4')).toEqual([named.id]);
  expect(found('omi moby')).toEqual([]);
  expect(found('shakespeare.txt')).toEqual(['project_shakespeare']);
});

it.each([
  ['changed', true, 'moby letters shakespeare law recipes'],
  ['changed', false, 'recipes law shakespeare letters moby'],
  ['name', false, 'law letters moby recipes shakespeare'],
  ['name', true, 'shakespeare recipes moby letters law'],
  ['model', false, 'law moby letters shakespeare recipes'],
  ['state', false, 'moby letters law shakespeare recipes'],
  // Not measured yet: last in both directions.
  ['result', false, 'moby shakespeare letters recipes law'],
  ['result', true, 'recipes letters shakespeare moby law'],
] as const)('sorts projects by %s, descending: %s', (sort, descending, order) => {
  const found = findProjects(summaries, { ...all, sort, descending }, startOf);
  expect(found.map(({ id }) => id.replace('project_', '')).join(' ')).toBe(order);
});

it('lists the projects of a group of states, which cover every state once', () => {
  const of = (group: keyof typeof stateGroups) =>
    findProjects(summaries, { ...all, group }, startOf).map(({ id }) => id.replace('project_', ''));
  expect(of('training')).toEqual(['moby', 'letters']);
  expect(of('trouble')).toEqual(['recipes']);
  expect(Object.values(stateGroups).flat().toSorted()).toEqual([...projectSummary.shape.state.options].toSorted());
});

it('labels a project by its name, and by its folder too if another one has that name', () => {
  const runs = [
    { id: 'a', name: 'my novel', folder: '/home/ana/novel' },
    { id: 'b', name: 'my novel', folder: '/home/ana/old/novel' },
    { id: 'c', name: 'my novel', folder: 'D:\\texts\\second' },
    { id: 'd', name: 'recipes', folder: '/home/ana/recipes' },
  ];
  expect(runs.map(({ id, name }) => labelIn(placesOf(runs), id, name))).toEqual([
    'my novel (ana/novel)',
    'my novel (old/novel)',
    'my novel (second)',
    'recipes',
  ]);
});

const states = projectSummary.shape.state.options;

it('is one of few things at a time, and nothing of what is not known', () => {
  const is = { canStart, isTraining, isUnreadable };
  const found = states.map((state) => [state, Object.keys(is).filter((name) => is[name as keyof typeof is](state))]);
  expect(Object.fromEntries(found)).toEqual({
    ...{ new: ['canStart'], stopped: ['canStart'], failed: ['canStart'] },
    ...{ running: ['isTraining'], paused: ['isTraining'] },
    ...{ missing: ['isUnreadable'], damaged: ['isUnreadable'], newer: ['isUnreadable'] },
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

it('marks phases that a finished project left out, and waiting phases of others', () => {
  expect(states.filter((state) => phaseState('waiting', state) === 'left_out')).toEqual(['finished']);
  expect((['running', 'finished'] as const).map((state) => phaseState(state, 'finished'))).toEqual([
    'running',
    'finished',
  ]);
});

type Given = Parameters<typeof nextStep>[0];
const people = { verdict: 'waiting', previous: 'base_model_v1', votes: 3, share: null } as const;
const step = (
  worth: Given['another']['worth'],
  { plainIsBetter = false, ...given }: Partial<Given & { plainIsBetter: boolean }> = {},
) => nextStep({ cycle: 1, people: null, another: { worth, because: 'better' }, ...given }, plainIsBetter);

it('follows the verdict', () => {
  expect(step('yes')).toBe('more');
  expect(step('no')).toBe('write');
  expect(step('no', { plainIsBetter: true })).toBe('train_on');
});

it('is a blind test if the figures are unclear and there are no votes', () => {
  expect(step('unclear')).toBe('rate');
  expect(step('unclear', { people })).toBe('write');
  expect(step('unclear', { cycle: 0 })).toBe('write');
  expect(step('unclear', { cycle: 0, another: { worth: 'unclear', because: 'longer' } })).toBe('longer');
});

const ended = (facts: Partial<TrainResult>) => facts as TrainResult;

it('training that took all of its steps did not stop early, by patience neither', () => {
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 2803, planned_steps: 2803 }), 300)).toBe('max_iters');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 300 }), 300)).toBe('max_iters');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 200, planned_steps: 2803 }), 100)).toBe('patience');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 200 }), 300)).toBe('patience');
  expect(whyOver(ended({ stopped_because: 'asked', iterations: 300 }), 300)).toBe('asked');
});

const diverged: Fault = {
  code: 'diverged',
  message: verbatim('The loss became NaN.'),
  hint: verbatim(''),
  field: 'learning_rate',
};
const usual = Number(effectiveSettings('nano', {})['learning_rate']);
const suggested = (config: GivenSettings, fault: Fault | null = diverged) =>
  wayOut({ summary: { fault, preset: 'nano' }, config });

it('is the usual learning rate where it was above, and a tenth of it where it was not', () => {
  expect(suggested({ learning_rate: 1e20, min_lr: 1e-5 })).toEqual({
    ...{ key: 'learning_rate', from: 1e20, to: usual, set: { learning_rate: usual } },
  });
  expect(suggested({ learning_rate: usual, min_lr: 0 })?.to).toBeCloseTo(usual / 10, 12);
});

it('does not leave a least learning rate above it', () => {
  expect(suggested({ learning_rate: 1e20, min_lr: 1e19 })?.set).toEqual({ learning_rate: usual, min_lr: usual / 10 });
});

it('is nothing where something else went wrong', () => {
  expect(suggested({ learning_rate: 1e20 }, { ...diverged, code: 'disk_full' })).toBeNull();
  expect(suggested({ learning_rate: 1e20 }, { ...diverged, field: 'nothing' })).toBeNull();
  expect(suggested({ learning_rate: 1e20 }, null)).toBeNull();
});

it('is other settings where the same again comes to the same, and not where something outside was in the way', () => {
  expect(needsOtherSettings(diverged)).toBe(true);
  expect(needsOtherSettings({ ...diverged, code: 'text_too_short' })).toBe(true);
  expect(needsOtherSettings({ ...diverged, code: 'disk_full' })).toBe(false);
  expect(needsOtherSettings(null)).toBe(false);
});

it('a project’s own is called by its cycle', () => {
  expect(modelTitle('novel, base_model_v2')).toBe('novel, model after cycle 1');
  expect(modelTitle('SmolLM2 360M')).toBe('SmolLM2 360M');
});

it('one of the hub as in the list of models, or by its name', () => {
  expect(modelTitle('HuggingFaceTB/SmolLM2-360M')).toBe('SmolLM2 360M');
  expect(modelTitle('someone/Fable-0.1B')).toBe('someone/Fable-0.1B');
});
