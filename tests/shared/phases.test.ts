/** shared/phases: names of what phases make, which phases a cycle has, and that charts and metrics belong together. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../shared/config/index.js';
import {
  artefactName,
  artefactsAmong,
  chartsOf,
  chartsTogether,
  lineLabel,
  parseArtefact,
  phaseNames,
  phases,
  phasesOfCycle,
  phasesPerCycle,
  placeOfArtefact,
  stepLimits,
  type WholeChart,
} from '../../shared/phases/index.js';
import { sharedWords } from '../../shared/words/index.js';
import { hasCode } from '../../shared/messages/catalogue.js';

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

  it('are no steps of a cycle where they record one row for each', () => {
    expect(phasesPerCycle).toContain('evaluation');
    const everywhere = [0, 1, 2].flatMap((cycle) => phasesOfCycle({ ...config, judge_passages: 8 }, cycle));
    expect(everywhere.filter(({ phase }) => phasesPerCycle.includes(phase))).toEqual([]);
  });
});

describe.each(phaseNames)('%s', (name) => {
  const phase = phases[name];
  const { open, others } = chartsOf(phase, {});
  const settings = [{ reward_shape: 'log_ratio' }, { reward_kind: 'critic' }, { reward_compare: true }];
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
    expect(others.find(({ title }) => title === 'Entropy')).toMatchObject({ term: 'entropy', unit: 'nats' });
    expect(open.find(({ cap }) => cap === 'kl_cap')?.lines).toMatchObject([{ label: 'KL from where the cycle began' }]);
    // In no chart that is declared, and so in one of its own.
    expect(others.find(({ lines }) => lines[0]?.metric === 'num_tokens')).toMatchObject({
      title: 'Tokens so far',
      unit: 'tokens',
    });
  });

  it('are three of GRPO that are open, one more where several processes wait for each other, and the rest behind', () => {
    const { open, others } = chartsOf(phases.grpo, {});
    const metrics = open.map(({ lines: [line] }) => line?.metric);
    expect(metrics).toEqual(['reward', 'kl', 'held_out_nats_per_character', 'waiting']);
    expect(others.length).toBeGreaterThan(12);
  });

  const labels = (chart: WholeChart | undefined) =>
    chart?.lines.map((line) => [line.metric, lineLabel(line, sharedWords.en)]);
  const rewardCharts = (settings: object) => chartsOf(phases.reward_model, { ...settings }).open;
  const titled = (charts: readonly WholeChart[], title: string) =>
    charts.find((chart) => chart.title.startsWith(title));

  it('have a line for each kind of reward model that is compared, among those of its unit alone', () => {
    const charts = rewardCharts({ reward_kind: 'critic', reward_compare: true });
    expect(labels(titled(charts, 'Squared error'))).toEqual([
      ['head/loss', 'head, training'],
      ['head/val_loss', 'head, held out'],
      ['token/val_loss', 'token, held out'],
      ['hybrid/val_loss', 'hybrid, held out'],
    ]);
    expect(labels(titled(charts, 'Log loss of each position'))).toEqual([['token/loss', 'token, training']]);
    expect(labels(titled(charts, 'Log loss of where'))).toEqual([['hybrid/loss', 'hybrid, training']]);
    expect(charts).toHaveLength(3);
    // One point is no chart.
    const { others } = chartsOf(phases.reward_model, { reward_kind: 'critic', reward_compare: true });
    expect(labels(others[0])).toEqual([['evidence_scale', 'critic, Evidence scale (1/temperature)']]);
    expect(new Set(charts[0]?.lines.map(({ colour }) => colour)).size).toBe(4);
    // The one that rewards comes first, under the names that it always has.
    const of = rewardCharts({ reward_kind: 'token', reward_compare: true, reward_loss: 'cross_entropy' });
    expect(labels(titled(of, 'Squared error'))?.map(([metric]) => metric)).toEqual(['val_loss', 'hybrid/val_loss']);
    expect(labels(titled(of, 'Cross-entropy'))?.map(([metric]) => metric)).toEqual(['head/loss', 'head/val_loss']);
    expect(titled(of, 'Cross-entropy')?.unit).toBe('nats');
  });

  it('show a reward model alone without a name, and what it learns from apart from what it is measured by', () => {
    expect(rewardCharts({ reward_kind: 'head' }).map(labels)).toEqual([
      [
        ['loss', 'training'],
        ['val_loss', 'held out'],
      ],
    ]);
    expect(rewardCharts({ reward_kind: 'token' }).map(labels)).toEqual([
      [['val_loss', 'held out']],
      [['loss', 'training']],
    ]);
    // Of a project from before there were kinds.
    expect(rewardCharts({}).map(({ title }) => title)).toEqual(['Squared error of the reward model']);
  });

  it('have a line for each time that a critic was strengthened, and what was trained against it', () => {
    const [critic] = chartsOf(phases.critic, { critic_strengthen: 2 }).open;
    expect(labels(critic)).toEqual(
      [
        ['', 'at first'],
        ['stronger_1/', 'strengthened once'],
        ['stronger_2/', 'strengthened 2 times'],
      ].flatMap(([prefix = '', whose = '']) => [
        [`${prefix}nats_per_character`, `${whose}, training`],
        [`${prefix}val_nats_per_character`, `${whose}, held out`],
      ]),
    );
    expect(new Set(critic?.lines.map(({ colour }) => colour)).size).toBe(6);
    expect(labels(chartsOf(phases.critic, { critic_strengthen: 0 }).open[0])?.map(([, label]) => label)).toEqual([
      'training',
      'held out',
    ]);
    const [squared] = rewardCharts({ reward_kind: 'hybrid', critic_strengthen: 1 });
    expect(labels(squared)).toEqual([
      ['val_loss', 'at first, held out'],
      ['stronger_1/val_loss', 'strengthened once, held out'],
    ]);
    // A head asks no critic.
    expect(rewardCharts({ reward_kind: 'head', critic_strengthen: 1 })[0]?.lines).toHaveLength(2);
  });

  it('of several projects have the lines that any of them has, each for those whose own it is', () => {
    const settings = [
      { reward_kind: 'token' },
      { reward_kind: 'head' },
      { reward_kind: 'hybrid', reward_compare: true },
    ];
    const charts = chartsTogether(settings.map((one, at) => ({ project: 'abc'[at] ?? '', charts: rewardCharts(one) })));
    expect(
      titled(charts, 'Squared error')?.lines.map((line) => [lineLabel(line, sharedWords.en), line.projects]),
    ).toEqual([
      ['held out', ['a', 'b']],
      ['training', ['b']],
      ['hybrid, held out', ['c']],
      ['head, training', ['c']],
      ['head, held out', ['c']],
      ['token, held out', ['c']],
    ]);
    // A head's training loss is no token's.
    expect(
      titled(charts, 'Log loss of each position')?.lines.map(({ metric, projects }) => [metric, projects]),
    ).toEqual([
      ['loss', ['a']],
      ['token/loss', ['c']],
    ]);
  });

  it('show rewards in the unit that they are in', () => {
    const reward = (settings: object) => chartsOf(phases.grpo, { ...settings }).open[0];
    expect(reward({})).toMatchObject({ title: 'Reward', unit: 'share' });
    expect(reward({ reward_shape: 'token_log_ratio' })).toMatchObject({
      title: 'Reward: evidence per token',
      unit: 'nats',
    });
  });
});

it('counts steps against three parameters', () =>
  expect(stepLimits.sort()).toEqual(['grpo_max_steps', 'max_iters', 'reward_max_iters']));
