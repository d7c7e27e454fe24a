/** shared/phases: names of what phases make, which phases a cycle has, and that charts and metrics belong together. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import {
  artefactName,
  artefactsAmong,
  parseArtefact,
  phaseNames,
  phases,
  phasesOfCycle,
  placeOfArtefact,
  stepLimits,
} from '../../shared/phases/index.js';
import { glossary } from '../../renderer/strings/glossary.js';

describe('names of what phases make', () => {
  it.each([
    ['base_model', 0, undefined, 'base_model_v1', 'base_training'],
    ['base_model', 1, undefined, 'base_model_v2', 'grpo'],
    ['reward_data', 1, undefined, 'reward_data_v1', 'reward_data'],
    ['reward_model', 3, undefined, 'reward_model_v3', 'reward_model'],
    ['reward_model', 3, 'token', 'reward_model_v3_token', 'reward_model'],
    ['critic_model', 2, 'stronger_1', 'critic_model_v2_stronger_1', 'critic'],
    ['judge_model', 0, undefined, 'judge_model_v1', 'judge'],
  ] as const)('%s of cycle %d, variant %s', (kind, cycle, variant, name, phase) => {
    expect(artefactName(kind, cycle, variant)).toBe(name);
    expect(parseArtefact(name)).toMatchObject({ kind, cycle, variant: variant ?? null });
    expect(placeOfArtefact(name)).toEqual({ cycle, phase });
  });

  it.each(['model', 'base_model', 'base_model_v', 'other_model_v1', 'base_model_v1.progress', '.trash-base_model_v1'])(
    'does not know %s',
    (name) => expect(placeOfArtefact(name)).toBeNull(),
  );

  it('orders by version, not by letters, and leaves variants out', () => {
    const names = ['base_model_v10', 'base_model_v9', 'reward_model_v1', 'base_model_v2_x', 'base_model_v1.progress'];
    expect(artefactsAmong('base_model', names)).toEqual(['base_model_v9', 'base_model_v10']);
  });
});

describe('phases of a cycle', () => {
  const config = projectConfigSchema.parse({});
  const shown = (changes: object, cycle: number) =>
    phasesOfCycle({ ...config, ...changes }, cycle).map(({ phase, makes }) => `${phase} ${makes ?? ''}`.trim());

  it('are those that the settings ask for', () => {
    expect(shown({}, 0)).toEqual(['prepare', 'base_training base_model_v1']);
    expect(shown({ judge_passages: 8 }, 0).at(-1)).toBe('judge judge_model_v1');
    expect(shown({}, 1)).toEqual(['reward_data reward_data_v1', 'reward_model reward_model_v1', 'grpo base_model_v2']);
  });

  it('has a critic in the first cycle where one is trained, for the reward or to be compared', () => {
    expect(shown({ reward_kind: 'critic' }, 1)[1]).toBe('critic critic_model_v1');
    expect(shown({ reward_kind: 'head', reward_compare: true }, 1)[1]).toBe('critic critic_model_v1');
    expect(shown({ reward_kind: 'critic' }, 2)).toHaveLength(3);
  });
});

describe.each(phaseNames)('%s', (name) => {
  const phase = phases[name];
  it('pictures only what it records, and explains terms that the glossary has', () => {
    for (const { lines, term } of phase.charts) {
      for (const { metric, spread } of lines) {
        expect(phase.metrics).toHaveProperty(metric);
        if (spread !== undefined) expect(phase.metrics).toHaveProperty(spread);
      }
      if (term !== undefined) expect(glossary).toHaveProperty(term);
    }
  });
});

it('counts steps against three parameters', () =>
  expect(stepLimits.sort()).toEqual(['grpo_max_steps', 'max_iters', 'reward_max_iters']));
