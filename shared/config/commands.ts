/**
 * The settings of commands that more than the terminal takes: the jobs, the window's drafts and the tools. They are built
 * from the groups that the wizard uses too, with the few each has of its own. What only a command of the terminal takes
 * stands in its file in main/cli/commands, as do all words about commands.
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
import { parameter } from './parameter.js';
import { presetNames, type PresetName } from './presets.js';
import { rewardDataShape } from './reward-data.js';
import { rewardModelShape } from './reward-model.js';
import { scoringModelsShape } from './scoring-models.js';
import { trainShape } from './train.js';
import { tuneShape } from './tune.js';

export const path = (kind: 'file' | 'folder', label: string, help: string) =>
  parameter(z.string().min(1), { label, help, path: kind });
export const folder = (initial: string, label: string, help: string) =>
  parameter(z.string().min(1).default(initial), { label, help, path: 'folder' });

export const modelPath = path(
  'folder',
  'Model',
  'A trained model: its folder or a file in it, a PyTorch checkpoint of nanoGPT (.pt), a Hugging Face folder of GPT-2’s or Llama’s family or NanoChat’s, or the name of one on the hub (owner/name).',
);
const overwrite = parameter(z.boolean().default(false), {
  label: 'Overwrite',
  help: 'Begin again where there is a result already; without it, what is finished is kept and what is not is continued.',
});
export const preset = (initial: PresetName | 'none') =>
  parameter(z.enum([...presetNames, 'none']).default(initial), {
    label: 'Preset',
    help: 'A size with settings that suit it; flags you give win over it. none: only the defaults shown here.',
  });

/** The model's shape as a person may set it: what a model is for is decided by the command that makes it. */
const { reward_kind: _kind, ...ownOfNetworks } = modelShape;
const networkShape = { ...initShape, ...tuneShape, ...ownOfNetworks };

export const trainOwn = {
  out_dir: folder('out', 'Output folder', 'Where the model, its checkpoints and the prepared text go.'),
  preset: preset('tiny'),
  overwrite,
};
export const rewardDataOwn = {
  model_path: modelPath,
  output_dir: folder('data/reward_dataset', 'Output folder', 'Where the reward dataset is written.'),
  overwrite,
};
export const rewardModelOwn = {
  model_path: modelPath,
  reward_data: folder('data/reward_dataset', 'Reward dataset', 'The folder that prepare_reward_data wrote.'),
  out_dir: folder('out-reward', 'Output folder', 'Where the reward model and its checkpoints go.'),
  critic_path: parameter(z.string().min(1).optional(), {
    label: 'Critic',
    help: 'For reward_kind critic: a stronger model of the same text, as train wrote it.',
    path: 'folder',
  }),
  reward_head_hidden_dim: modelShape.reward_head_hidden_dim,
  overwrite,
};
export const grpoOwn = {
  model_path: modelPath,
  reward_model_path: path('folder', 'Reward model', 'The reward model’s folder, as train_reward_model wrote it.'),
  out_dir: folder('out-grpo', 'Output folder', 'Where the improved model and its checkpoints go.'),
  overwrite,
};
export const projectOwn = {
  project: path('folder', 'Project folder', 'The folder of the project; it is made when it is not there.'),
  preset: preset('tiny'),
};
export const previewOwn = {
  model_path: parameter(z.string().min(1).optional(), {
    label: 'Model',
    help: 'A trained model that writes the generated part of the example; without it, its place is shown.',
    path: 'folder',
  }),
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
