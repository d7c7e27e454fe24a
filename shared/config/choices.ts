/** Which cycles learn from the user's choices: they have the settings of following the voice, whatever the others have. */
import type { ProjectConfig } from './index.js';
import { voiceRecipe } from './presets.js';

/** Fewer choices show nothing. */
export const LEAST_CHOICES = 20;

/** Some 300 pairs; `follows` is for the charts. */
const choicesRecipe = {
  ...voiceRecipe,
  grpo_learning_rate: 3e-4,
  grpo_lr_schedule: 'linear',
  grpo_max_steps: 38,
  control_share: 0,
  follows: 'choices',
} as const;

type Learning = { readonly learned_cycles?: ProjectConfig['learned_cycles'] };

export const learnsChoices = ({ learned_cycles }: Learning, cycle: number): boolean =>
  learned_cycles?.includes(cycle) === true;

/** The settings of a cycle. */
export const configOfCycle = <C extends Learning>(config: C, cycle: number): C =>
  learnsChoices(config, cycle) ? { ...config, ...choicesRecipe } : config;
