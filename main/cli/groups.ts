/** The groups of settings that several commands take, under the titles that help and docs/configuration.md give them. */
import { z } from 'zod';
import { networkShape, projectOwn } from '../../shared/config/commands.js';
import { clusterShape } from '../../shared/config/cluster.js';
import { cycleShape } from '../../shared/config/cycle.js';
import { dataShape } from '../../shared/config/data.js';
import { generationShape, readingShape } from '../../shared/config/generation.js';
import { grpoShape } from '../../shared/config/grpo.js';
import { loggingShape } from '../../shared/config/logging.js';
import { machineShape } from '../../shared/config/machine.js';
import { parameter, type OptionName } from '../../shared/config/parameter.js';
import { scoringModelsShape } from '../../shared/config/scoring-models.js';
import { rewardDataShape } from '../../shared/config/reward-data.js';
import { rewardModelShape } from '../../shared/config/reward-model.js';
import { trainShape } from '../../shared/config/train.js';
import { languageFiles } from '../installation/locales.mjs';
import { group } from './command.js';

export const data = group('text', dataShape);
export const network = group('model', networkShape);
export const training = group('base_training', trainShape);
export const generation = group('generation', generationShape);
/** For text that users read. */
export const reading = group('generation', readingShape);
export const rewardData = group('reward_data', rewardDataShape);
export const rewardModel = group('reward_model', rewardModelShape);
export const grpo = group('grpo', grpoShape);
export const logging = group('logging', loggingShape);
export const machine = group('machine', machineShape);
export const cluster = group('processes', clusterShape);
/** For commands that compute, but not with a choice of precision or seed. */
export const hardware = group('machine', { device: machineShape.device, threads: machineShape.threads });

/** The language of a document for others, whichever the terminal has. */
export const documentLanguage = (option: OptionName) => parameter(z.enum(languageFiles()).default('en'), { option });

/** All that a project is configured with. */
export const projectSettings = [
  ...([data, network, training, reading, rewardData, rewardModel, grpo] as const),
  group('critic_and_judge', scoringModelsShape),
  group('cycles', cycleShape),
  logging,
  machine,
] as const;
export const project = [group('project', projectOwn), ...projectSettings] as const;
