/** The commands by name. Each is loaded when it is asked for, so that help and mistakes answer at once. */
import type { CommandName } from '../../../shared/config/commands.js';
import type { Command } from '../command.js';

const loaders: Readonly<Record<CommandName, () => Promise<{ readonly command: Command }>>> = {
  start: () => import('./start.js'),
  serve: () => import('./serve.js'),
  preview: () => import('./preview.js'),
  new: () => import('./new.js'),
  cycle: () => import('./cycle.js'),
  list: () => import('./list.js'),
  clone: () => import('./clone.js'),
  import: () => import('./import.js'),
  rm: () => import('./rm.js'),
  train: () => import('./train.js'),
  prepare_reward_data: () => import('./prepare_reward_data.js'),
  train_reward_model: () => import('./train_reward_model.js'),
  train_grpo: () => import('./train_grpo.js'),
  rate: () => import('./rate.js'),
  sample: () => import('./sample.js'),
  perplexity: () => import('./perplexity.js'),
  dataset_info: () => import('./dataset_info.js'),
  export: () => import('./export.js'),
  doctor: () => import('./doctor.js'),
};

export async function loadCommand(name: CommandName): Promise<Command> {
  return (await loaders[name]()).command;
}
