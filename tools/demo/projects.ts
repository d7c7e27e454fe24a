/** The demonstration's projects: one of each state that a person may meet. */
import type { ProjectDetails, ProjectSummary } from '../../shared/contract/projects.js';
import { localized, verbatim } from '../../shared/messages/message.js';
import type { Circumstances } from '../../shared/reports/run-report.js';
import { artefactName, phasesOfCycle } from '../../shared/phases/index.js';

export const NOW = Date.parse('2026-11-21T12:00:00Z');
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const base: ProjectSummary = {
  id: 'project_moby',
  name: 'Moby-Dick',
  folder: '~/Verisim/Moby-Dick',
  text: 'moby-dick.txt',
  writing: 'and the whale rose slowly out of the grey water, so that every man in the boat held his breath and looked.',
  state: 'running',
  preset: 'tiny',
  cycle: 1,
  max_cycles: 3,
  ended: null,
  perplexities: [4.53, 4.47],
  changed: ago(0),
  activity: {
    phase: 'grpo',
    cycle: 2,
    name: 'base_model_v3',
    done: 64,
    total: 100,
    unit: 'steps',
    rate: 1.42,
    seconds_left: 25,
    detail: verbatim('reward 68.3%, KL 0.211'),
  },
  fault: null,
  exact: true,
};

const listed: readonly ProjectSummary[] = [
  base,
  {
    ...base,
    id: 'project_letters',
    name: 'Letters of my grandmother',
    state: 'queued',
    cycle: 0,
    perplexities: [6.9],
    changed: ago(18),
    activity: null,
  },
  {
    ...base,
    id: 'project_shakespeare',
    name: 'Tiny Shakespeare',
    state: 'finished',
    cycle: 5,
    max_cycles: 5,
    ended: 'max_cycles',
    perplexities: [5.02, 4.86, 4.71, 4.66, 4.69, 4.64],
    changed: ago(60 * 26),
    activity: null,
  },
  {
    ...base,
    id: 'project_law',
    name: 'Case law 1950–1970',
    state: 'stopped',
    preset: 'small',
    cycle: -1,
    perplexities: [],
    changed: ago(60 * 50),
    activity: null,
    exact: false,
  },
  {
    ...base,
    id: 'project_recipes',
    name: 'Recipes',
    state: 'failed',
    cycle: 0,
    perplexities: [9.8],
    changed: ago(60 * 24 * 6),
    activity: null,
    fault: {
      code: 'disk_full',
      message: localized('fileFaults.disk_full_could_written', { path: 'reward_data', code: 'ENOSPC' }),
      hint: localized('fileFaults.free_space'),
    },
  },
];

/** Of characters of one byte each. */
const byText = (perplexity: number | null) => (perplexity === null ? null : Math.log(perplexity));

export const summaries: readonly ProjectSummary[] = listed.map(({ writing, ...summary }) => ({
  ...summary,
  folder: `~/Verisim/${summary.name}`,
  text: `${summary.name.toLowerCase().replaceAll(' ', '-')}.txt`,
  ...(summary.cycle >= 0 && writing !== undefined && { writing }),
  next:
    summary.state === 'finished'
      ? null
      : summary.cycle < 0
        ? { phase: 'base_training', cycle: 0 }
        : { phase: 'critic', cycle: summary.cycle + 1 },
  nats_per_character: summary.perplexities.map(byText),
}));

/** With a judge, and a critic. */
const shown = { judge_passages: 200, reward_kind: 'critic' } as const;

const config = {
  tokenization: 'char',
  train_split: 0.9,
  n_layer: 4,
  n_head: 4,
  n_embd: 128,
  block_size: 64,
  batch_size: 12,
  max_iters: 2000,
  learning_rate: 0.001,
  tune: 'lora',
  eval_interval: 250,
  group_size: 8,
  beta: 0.04,
  epsilon: 0.2,
  kl_cap: 0.5,
  reward_threshold: 0.95,
  grpo_max_steps: 100,
  grpo_learning_rate: 1e-5,
  log_interval: 10,
  max_cycles: 3,
  seed: 42,
  device: 'auto',
};

export function detailsOf(summary: ProjectSummary): ProjectDetails {
  const running = summary.activity;
  const started = Math.max(summary.cycle, running?.cycle ?? 0);
  return {
    summary,
    folder: summary.folder,
    config: {
      ...config,
      max_cycles: summary.max_cycles,
      seed: 42,
    },
    verisim_version: '0.1.0',
    timeline: Array.from({ length: Math.max(started, summary.max_cycles) + 1 }, (_, cycle) => ({
      cycle,
      phases: phasesOfCycle(shown, cycle).map(({ phase, makes }, at, all) => {
        const current = running?.cycle === cycle ? all.findIndex(({ phase: each }) => each === running.phase) : -1;
        const finished = cycle <= summary.cycle || (current >= 0 && at < current);
        const state = finished ? 'finished' : at === current ? 'running' : 'waiting';
        return { phase, name: makes ?? 'data', state };
      }),
    })),
    learned_cycles: [],
    models: Array.from({ length: summary.cycle + 1 }, (_, cycle) => artefactName('base_model', cycle)),
  };
}

/** With what each was made. */
export const circumstancesOf = (summary: ProjectSummary): Circumstances => ({
  verisim: '0.13.0',
  settings: detailsOf(summary).config,
  environments: [
    {
      at: '2026-11-20T09:00:00Z',
      verisim: '0.13.0',
      runtime: 'tensorflow 2.21.0',
      device: 'cpu',
      precision: 'f32',
      processor: 'a processor (avx2 fma)',
      threads: 8,
    },
  ],
  changes:
    summary.id === 'project_moby'
      ? [
          {
            cycle: 0,
            phase: 'base_training',
            step: 640,
            settings: { learning_rate: 0.0003 },
            iterations: 0,
            skip: false,
          },
        ]
      : [],
  data: [
    {
      file: 'train.bin',
      bytes: 2_400_000,
      sha256: (summary.id === 'project_moby' ? 'a1b2c3' : 'd4e5f6').repeat(11).slice(0, 64),
    },
  ],
});
