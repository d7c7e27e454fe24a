/**
 * The settings of commands that more than the terminal takes: the jobs, the window's drafts and the tools. They are built
 * from the groups that the wizard uses too, with the few each has of its own. What only a command of the terminal takes
 * is declared in its file in main/cli/commands, as do all words about commands.
 */
import { z } from 'zod';
import { clusterShape } from './cluster.js';
import { dataShape } from './data.js';
import { generationShape } from './generation.js';
import { grpoShape } from './grpo.js';
import { loggingShape } from './logging.js';
import { machineShape } from './machine.js';
import { projectShape } from './index.js';
import { initShape } from './init.js';
import { modelShape } from './model.js';
import { parameter, type OptionName } from './parameter.js';
import { presetNames, type PresetName } from './presets.js';
import { rewardDataShape } from './reward-data.js';
import { rewardModelShape } from './reward-model.js';
import { scoringModelsShape } from './scoring-models.js';
import { trainShape } from './train.js';
import { tuneShape } from './tune.js';

export const path = (kind: 'file' | 'folder', option: OptionName) =>
  parameter(z.string().min(1), { option, path: kind });
export const folder = (initial: string, option: OptionName) =>
  parameter(z.string().min(1).default(initial), { option, path: 'folder' });

export const modelPath = path('folder', 'model_path');
const overwrite = parameter(z.boolean().default(false), { option: 'overwrite' });
export const preset = (initial: PresetName | 'none') =>
  parameter(z.enum([...presetNames, 'none']).default(initial), { option: 'preset' });

/** The model's shape as a person may set it: what a model is for is decided by the command that makes it. */
const { reward_kind: _kind, ...ownOfNetworks } = modelShape;
const networkShape = { ...initShape, ...tuneShape, ...ownOfNetworks };

export const trainOwn = {
  out_dir: folder('out', 'train.out_dir'),
  preset: preset('tiny'),
  overwrite,
};
export const rewardDataOwn = {
  model_path: modelPath,
  output_dir: folder('data/reward_dataset', 'reward_data.output_dir'),
  overwrite,
};
export const rewardModelOwn = {
  model_path: modelPath,
  reward_data: folder('data/reward_dataset', 'reward_data'),
  out_dir: folder('out-reward', 'reward_model.out_dir'),
  critic_path: parameter(z.string().min(1).optional(), { option: 'reward_model.critic_path', path: 'folder' }),
  reward_head_hidden_dim: modelShape.reward_head_hidden_dim,
  overwrite,
};
export const grpoOwn = {
  model_path: modelPath,
  reward_model_path: path('folder', 'grpo.reward_model_path'),
  out_dir: folder('out-grpo', 'grpo.out_dir'),
  overwrite,
};
export const projectOwn = {
  project: path('folder', 'project.project'),
  preset: preset('tiny'),
};
export const previewOwn = {
  model_path: parameter(z.string().min(1).optional(), { option: 'preview.model_path', path: 'folder' }),
  critic_from: scoringModelsShape.critic_from,
  preset: preset('tiny'),
};

export { networkShape };

export const trainCommandShape = {
  ...trainOwn,
  ...dataShape,
  ...networkShape,
  ...trainShape,
  ...loggingShape,
  ...machineShape,
  ...clusterShape,
};
export const rewardDataCommandShape = {
  ...rewardDataOwn,
  ...dataShape,
  ...rewardDataShape,
  ...generationShape,
  ...machineShape,
};
export const rewardModelCommandShape = { ...rewardModelOwn, ...rewardModelShape, ...loggingShape, ...machineShape };
export const grpoCommandShape = {
  ...grpoOwn,
  ...dataShape,
  ...grpoShape,
  ...generationShape,
  ...loggingShape,
  ...machineShape,
};
export const projectCommandShape = { ...projectOwn, ...projectShape };
export const cycleCommandShape = { ...projectCommandShape, ...clusterShape };
export const previewCommandShape = {
  ...previewOwn,
  ...dataShape,
  ...networkShape,
  ...trainShape,
  ...rewardDataShape,
  ...generationShape,
  ...machineShape,
};

export type TrainCommand = z.infer<z.ZodObject<typeof trainCommandShape>>;
export type RewardDataCommand = z.infer<z.ZodObject<typeof rewardDataCommandShape>>;
export type RewardModelCommand = z.infer<z.ZodObject<typeof rewardModelCommandShape>>;
export type GrpoCommand = z.infer<z.ZodObject<typeof grpoCommandShape>>;
export type ProjectCommand = z.infer<z.ZodObject<typeof projectCommandShape>>;
export type PreviewCommand = z.infer<z.ZodObject<typeof previewCommandShape>>;
