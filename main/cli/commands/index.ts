/** Lists the commands in the order of --help. Each loads its job when it is run. */
import type { Command } from '../command.js';
import { command as start } from './start.js';
import { command as serve } from './serve.js';
import { command as preview } from './preview.js';
import { command as newCommand } from './projects/new.js';
import { command as cycle } from './cycle.js';
import { command as list } from './projects/list.js';
import { command as clone } from './projects/clone.js';
import { command as importCommand } from './projects/import.js';
import { command as rm } from './projects/rm.js';
import { command as train } from './train.js';
import { command as prepare_reward_data } from './prepare_reward_data.js';
import { command as train_reward_model } from './train_reward_model.js';
import { command as train_grpo } from './train_grpo.js';
import { command as rate } from './rate.js';
import { command as rating_report } from './rating_report.js';
import { command as report } from './report.js';
import { command as sample } from './sample.js';
import { command as perplexity } from './perplexity.js';
import { command as dataset_info } from './dataset_info.js';
import { command as exportCommand } from './export.js';
import { command as models } from './models.js';
import { command as doctor } from './doctor.js';

export const commands: readonly Command[] = [
  ...[start, serve, preview, newCommand, cycle, list, clone, importCommand, rm],
  ...[train, prepare_reward_data, train_reward_model, train_grpo, rate, rating_report, report],
  ...[sample, perplexity, dataset_info, exportCommand, models, doctor],
];

export const commandNames: readonly string[] = commands.map(({ name }) => name);

export const commandNamed = (name: string): Command | null => commands.find((command) => command.name === name) ?? null;
