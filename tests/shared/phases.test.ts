/** shared/phases: names of what phases make, which phases a cycle has, and that charts and metrics belong together. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import {
  artefactName,
  artefactsAmong,
  chartsOf,
  chartsTogether,
  parseArtefact,
  phaseNames,
  phases,
  phasesOfCycle,
  phasesPerCycle,
  placeOfArtefact,
  stepLimits,
  type WholeChart,
} from '../../shared/phases/index.js';
import { whereAfter } from '../../shared/phases/events.js';
import { localized } from '../../shared/messages/message.js';
import { hasCode } from '../../shared/messages/catalogue.js';

describe('names of what phases make', () => {
  it.each([
    ['base_model', 0, 'base_model_v1', 'base_training'],
    ['base_model', 1, 'base_model_v2', 'grpo'],
    ['reward_data', 1, 'reward_data_v1', 'reward_data'],
    ['reward_model', 3, 'reward_model_v3', 'reward_model'],
    ['critic_model', 2, 'critic_model_v2', 'critic'],
    ['judge_model', 0, 'judge_model_v1', 'judge'],
  ] as const)('%s of cycle %d', (kind, cycle, name, phase) => {
    expect(artefactName(kind, cycle)).toBe(name);
    expect(parseArtefact(name)).toMatchObject({ kind, cycle });
    expect(parseArtefact(`${name}_step_120`)).toBeNull();
    expect(placeOfArtefact(name)).toEqual({ cycle, phase });
  });

  it.each(['model', 'base_model', 'base_model_v', 'other_model_v1', 'base_model_v1.progress', '.trash-base_model_v1'])(
    'does not know %s',
    (name) => expect(placeOfArtefact(name)).toBeNull(),
  );

  it('orders by version, not by letters, and leaves other names out', () => {
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

  it('has a critic in the first cycle if the reward needs one', () => {
    expect(shown({ reward_kind: 'critic' }, 1)[1]).toBe('critic critic_model_v1');
    expect(shown({ reward_kind: 'critic' }, 2)).toHaveLength(3);
  });

  it('are no steps of a cycle where they record one row for each', () => {
    expect(phasesPerCycle).toContain('evaluation');
    const everywhere = [0, 1, 2].flatMap((cycle) => phasesOfCycle({ ...config, judge_passages: 8 }, cycle));
    expect(everywhere.filter(({ phase }) => phasesPerCycle.includes(phase))).toEqual([]);
  });
});

describe.each(phaseNames)('%s', (name) => {
  const phase = phases[name];
  const { open, others } = chartsOf(phase, {});
  const settings = [{ reward_shape: 'token_log_ratio' }, { reward_kind: 'critic' }];
  const all = [...open, ...others, ...settings.flatMap((one) => Object.values(chartsOf(phase, one)).flat())];

  it('pictures every metric that it declares, and no other', () => {
    const pictured = all
      .flatMap(({ lines }) => lines.flatMap(({ metric, spread }) => [metric, spread ?? metric]))
      .filter((metric) => !metric.includes('/'));
    expect([...new Set(pictured)].sort()).toEqual(Object.keys(phase.metrics).sort());
  });

  it('gives each chart a title of its own, lines that differ, and an explanation', () => {
    for (const charts of [open, others]) expect(new Set(charts.map(({ title }) => title)).size).toBe(charts.length);
    for (const { title, lines, term } of all) {
      expect(title).not.toBe('');
      expect(new Set(lines.map(({ label, colour }) => `${label} ${colour}`)).size).toBe(lines.length);
      expect(hasCode(`glossary.${term ?? ''}.word`), title).toBe(true);
    }
  });
});

describe('charts', () => {
  it('say what a metric says of itself, unless they say it themselves', () => {
    const { open, others } = chartsOf(phases.grpo, {});
    expect(others.find(({ title }) => title === 'chart.entropy')).toMatchObject({ term: 'entropy', unit: 'nats' });
    expect(open.find(({ cap }) => cap === 'kl_cap')?.lines).toMatchObject([
      { label: 'chart.kl_from_where_cycle_began' },
    ]);
    // In no chart that is declared, and so in one of its own.
    expect(others.find(({ lines }) => lines[0]?.metric === 'num_tokens')).toMatchObject({
      title: 'chart.tokens_so_far',
      unit: 'tokens',
    });
  });

  it('are three of GRPO that are open, and the rest behind', () => {
    const { open, others } = chartsOf(phases.grpo, {});
    const metrics = open.map(({ lines: [line] }) => line?.metric);
    expect(metrics).toEqual(['reward', 'kl', 'held_out_nats_per_character']);
    expect(others.length).toBeGreaterThan(12);
  });

  const labels = (chart: WholeChart | undefined) => chart?.lines.map(({ metric, label }) => [metric, label]);

  it('show what a head learns, and of a critic the one figure that is fitted', () => {
    const { open, others } = chartsOf(phases.reward_model, { reward_kind: 'head' });
    expect(open.map(labels)).toEqual([
      [
        ['loss', 'chart.training'],
        ['val_loss', 'chart.held_out'],
      ],
    ]);
    expect(others).toEqual([]);
    const critic = chartsOf(phases.reward_model, { reward_kind: 'critic' });
    expect(critic.open).toEqual([]);
    expect(critic.others.map(labels)).toEqual([[['evidence_scale', 'chart.evidence_scale_1_temperature']]]);
    // A project from before there were kinds.
    expect(chartsOf(phases.reward_model, {}).open.map(({ title }) => title)).toEqual([
      'chart.squared_error_reward_model',
    ]);
  });

  it('of several projects have the lines that any of them has, each for those whose own it is', () => {
    const each = [{ reward_kind: 'head' }, { reward_kind: 'critic' }, { reward_kind: 'head' }].map((one, at) => ({
      project: 'abc'[at] ?? '',
      charts: chartsOf(phases.reward_model, one).open,
    }));
    const [chart] = chartsTogether(each);
    expect(chart?.lines.map(({ metric, projects }) => [metric, projects])).toEqual([
      ['loss', ['a', 'c']],
      ['val_loss', ['a', 'c']],
    ]);
  });

  it('show rewards in the unit that they are in', () => {
    const reward = (settings: object) => chartsOf(phases.grpo, { ...settings }).open[0];
    expect(reward({})).toMatchObject({ title: 'chart.reward', unit: 'share' });
    expect(reward({ reward_shape: 'token_log_ratio' })).toMatchObject({
      title: 'chart.reward_evidence_per_token',
      unit: 'nats',
    });
  });
});

it('counts steps against three parameters', () =>
  expect(stepLimits.sort()).toEqual(['grpo_max_steps', 'max_iters', 'reward_max_iters']));

it('a run that waits for room on its disk has the reason with its progress, until it goes on', () => {
  const message = localized('trainer.disk_nearly_full');
  const phase = { event: 'phase', phase: 'grpo', state: 'started', message } as const;
  const progress = {
    event: 'progress',
    phase: 'grpo',
    unit: 'steps',
    done: 3,
    total: 9,
    rate: 1,
    seconds_left: 6,
  } as const;
  const notice = (code: string) => ({ event: 'notice', level: 'warning', code, message }) as const;
  for (const before of [
    { phase, progress },
    { phase, progress: null },
  ]) {
    const waiting = whereAfter(before, notice('disk_nearly_full'));
    expect(waiting.progress?.detail).toEqual(message);
    expect(whereAfter(waiting, progress).progress).toEqual(progress);
    expect(whereAfter(before, notice('changed'))).toBe(before);
  }
});
