/** Lists the commands in the order of --help. Each loads its job when it runs. */
import type { Command } from '../command.js';
import { exportModel, models, perplexity, sample } from './models.js';
import { clone, cycle, importProject, learn, list, newProject, remove, start } from './projects.js';
import { rate, ratingReport } from './rating.js';
import { datasetInfo, doctor, preview, report, serve } from './tools.js';
import { prepareRewardData, train, trainGrpo, trainRewardModel } from './training.js';

export const commands: readonly Command[] = [
  ...[start, serve, preview, newProject, cycle, learn, list, clone, importProject, remove],
  ...[train, prepareRewardData, trainRewardModel, trainGrpo, rate, ratingReport, report],
  ...[sample, perplexity, datasetInfo, exportModel, models, doctor],
];

/** Finds the command to give a flag to that `command` lacks; a project's before the others'. */
export const commandWith = (command: Command, flag: string): string | undefined =>
  flag in command.shape || flag in command.aliases
    ? undefined
    : commands.find(({ name, shape }) => name !== 'preview' && flag in shape)?.name;

export const commandNames: readonly string[] = commands.map(({ name }) => name);

export const commandNamed = (name: string): Command | null => commands.find((command) => command.name === name) ?? null;
