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

export const commandNames: readonly string[] = commands.map(({ name }) => name);

export const commandNamed = (name: string): Command | null => commands.find((command) => command.name === name) ?? null;
