/**
 * The commands of the terminal: which parameters each takes, built from the groups that the wizard uses too, with the
 * few a command has of its own. Flags, help and docs/configuration.md are derived from these shapes.
 */
import { z } from 'zod';
import { cycleShape } from './cycle.js';
import { dataShape } from './data.js';
import type { Shape } from './fields.js';
import { generationShape } from './generation.js';
import { grpoShape } from './grpo.js';
import { loggingShape } from './logging.js';
import { machineShape } from './machine.js';
import { projectShape } from './index.js';
import { modelShape } from './model.js';
import { parameter, whole } from './parameter.js';
import { presetNames, type PresetName } from './presets.js';
import { readersShape } from './readers.js';
import { rewardDataShape } from './reward-data.js';
import { rewardModelShape } from './reward-model.js';
import { trainShape } from './train.js';

const path = (kind: 'file' | 'folder', label: string, help: string) =>
  parameter(z.string().min(1), { label, help, path: kind });
const folder = (initial: string, label: string, help: string) =>
  parameter(z.string().min(1).default(initial), { label, help, path: 'folder' });

const modelPath = path(
  'folder',
  'Model',
  'A trained model: its folder or a file in it, a PyTorch checkpoint of nanoGPT (.pt), or a Hugging Face GPT-2 folder.',
);
const overwrite = parameter(z.boolean().default(false), {
  label: 'Overwrite',
  help: 'Begin again where there is a result already; without it, what is finished is kept and what is not is continued.',
});
const preset = (initial: PresetName | 'none') =>
  parameter(z.enum([...presetNames, 'none']).default(initial), {
    label: 'Preset',
    help: 'A size with settings that suit it; flags you give win over it. none: only the defaults shown here.',
  });

/** The model's shape as a person may set it: what a model is for is decided by the command that makes it. */
const {
  mode: _mode,
  vocab_size: _vocabulary,
  reward_kind: _kind,
  reward_pooling: _pooling,
  ...networkShape
} = modelShape;
/** All that a project is configured with, but for what follows from its text and its purpose. */
const { mode: _projectMode, vocab_size: _projectVocabulary, ...askedOfProjects } = projectShape;
const trainNetworkShape = {
  ...networkShape,
  vocab_size: parameter(whole(1, 65536).nullable().default(null), {
    label: 'Vocabulary size',
    help: 'How many different tokens the model knows; unset takes the tokenizer’s, a larger number leaves room, such as nanoGPT’s 50304 for bpe.',
    advanced: true,
  }),
};

const trainOwn = {
  out_dir: folder('out', 'Output folder', 'Where the model, its checkpoints and the prepared text go.'),
  preset: preset('tiny'),
  overwrite,
};
const rewardDataOwn = {
  model_path: modelPath,
  output_dir: folder('data/reward_dataset', 'Output folder', 'Where the reward dataset is written.'),
  overwrite,
};
const rewardModelOwn = {
  model_path: modelPath,
  reward_data: folder('data/reward_dataset', 'Reward dataset', 'The folder that prepare_reward_data wrote.'),
  out_dir: folder('out-reward', 'Output folder', 'Where the reward model and its checkpoints go.'),
  critic_path: parameter(z.string().min(1).optional(), {
    label: 'Critic',
    help: 'For reward_kind critic and hybrid: a stronger model of the same text, as train wrote it.',
    path: 'folder',
  }),
  reward_head_hidden_dim: modelShape.reward_head_hidden_dim,
  overwrite,
};
const grpoOwn = {
  model_path: modelPath,
  reward_model_path: path('folder', 'Reward model', 'The reward model’s folder, as train_reward_model wrote it.'),
  out_dir: folder('out-grpo', 'Output folder', 'Where the improved model and its checkpoints go.'),
  overwrite,
};
const projectOwn = {
  project: path('folder', 'Project folder', 'The folder of the project; it is made when it is not there.'),
  preset: preset('tiny'),
};
const sampleOwn = {
  model_path: modelPath,
  prompt: parameter(z.string().optional(), {
    label: 'Prompt',
    help: 'The text to go on from; unset begins on a new line.',
  }),
  num_samples: parameter(whole(1, 10000).default(4), {
    label: 'Samples',
    help: 'How many continuations to write.',
  }),
  max_new_tokens: parameter(whole(1, 1_000_000).default(200), {
    label: 'New tokens',
    help: 'Length of each continuation, in tokens.',
  }),
};
const perplexityOwn = {
  model_path: modelPath,
  split: parameter(z.enum(['val', 'train']).default('val'), {
    label: 'Split',
    help: 'Which part of the text to measure on: val is the held-out part.',
  }),
};
const datasetOwn = {
  reward_data: folder('data/reward_dataset', 'Reward dataset', 'The folder that prepare_reward_data wrote.'),
};
const exportOwn = {
  model_path: path(
    'folder',
    'Model or project',
    'A trained model: its folder or a file in it, or a project, whose newest model is taken; with --format project the project itself.',
  ),
  format: parameter(z.enum(['huggingface', 'nanogpt', 'project']).default('huggingface'), {
    label: 'Format',
    help: 'huggingface: a folder for GPT2LMHeadModel.from_pretrained; nanogpt: a ckpt.pt for torch.load; project: the whole project in one file.',
  }),
  out_dir: folder('export', 'Output folder', 'Where the files of a model are written.'),
  file: parameter(z.string().min(1).nullable().default(null), {
    label: 'File',
    help: 'Where a project is written; unset means its own name with .verisim.tar, beside it.',
    path: 'file',
  }),
};
const importOwn = {
  file: path('file', 'File', 'What export --format project wrote.'),
  project: parameter(z.string().min(1).nullable().default(null), {
    label: 'Project folder',
    help: 'Where the project goes; unset means the name it had, beside the file.',
    path: 'folder',
  }),
};
const listOwn = { folder: folder('.', 'Folder', 'Where the projects are.') };
const cloneOwn = {
  project: path('folder', 'Project folder', 'The project whose configuration is taken.'),
  to: path('folder', 'New project', 'The folder of the new project.'),
};
const removeOwn = {
  project: path('folder', 'Project folder', 'The project to delete.'),
  force: parameter(z.boolean().default(false), {
    label: 'For good',
    help: 'Delete it for good, without the trash.',
  }),
};
const rateOwn = {
  project: path('folder', 'Project folder', 'The project whose writing is rated.'),
  passages: parameter(whole(1, 500).default(20), {
    label: 'Passages',
    help: 'How many passages of the text and of each generator there are to rate.',
  }),
};
const previewOwn = {
  model_path: parameter(z.string().min(1).optional(), {
    label: 'Model',
    help: 'A trained model that writes the generated part of the example; without it, its place is shown.',
    path: 'folder',
  }),
  preset: preset('tiny'),
};
const startOwn = {
  project: parameter(z.string().min(1).optional(), {
    label: 'Project folder',
    help: 'Where the sample project lives; unset means moby-dick in $VERISIM_HOME, or in ./projects.',
    path: 'folder',
  }),
};

const serveOwn = {
  host: parameter(z.string().min(1).default('127.0.0.1'), {
    label: 'Host',
    help: 'The address to listen on. The default can be reached from this machine alone; from elsewhere, use a tunnel such as ssh -L, since the connection is not encrypted.',
  }),
  port: parameter(whole(0, 65535).default(0), {
    label: 'Port',
    help: 'The port to listen on; 0 takes one that is free.',
  }),
  data_dir: parameter(z.string().min(1).optional(), {
    label: 'Data folder',
    help: 'Where settings, drafts and the list of projects are kept; unset means the same as the desktop app.',
    path: 'folder',
    advanced: true,
  }),
  projects_dir: parameter(z.string().min(1).optional(), {
    label: 'Projects folder',
    help: 'Where new projects are made, until the settings say otherwise; unset means $VERISIM_HOME, or ./projects.',
    path: 'folder',
    advanced: true,
  }),
};

/** Flags that every command takes. */
export const commonShape = {
  config: parameter(z.string().min(1).optional(), {
    label: 'Settings file',
    help: 'A JSON file with settings by these names, {"n_layer": 4, "data_path": "book.txt"}; flags given as well win over it.',
    path: 'file',
  }),
  json: parameter(z.boolean().default(false), {
    label: 'JSON',
    help: 'Print one JSON object per event on standard output and nothing else.',
  }),
  help: parameter(z.boolean().default(false), { label: 'Help', help: 'Show this help.' }),
};

export const trainCommandShape = {
  ...trainOwn,
  ...dataShape,
  ...trainNetworkShape,
  ...trainShape,
  ...loggingShape,
  ...machineShape,
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
export const projectCommandShape = { ...projectOwn, ...askedOfProjects };
export const rateCommandShape = { ...rateOwn, device: machineShape.device, threads: machineShape.threads };
export const sampleCommandShape = { ...sampleOwn, ...generationShape, ...machineShape };
export const perplexityCommandShape = { ...perplexityOwn, ...dataShape, ...machineShape };
export const datasetInfoCommandShape = datasetOwn;
export const previewCommandShape = {
  ...previewOwn,
  ...dataShape,
  ...networkShape,
  ...trainShape,
  ...rewardDataShape,
  ...generationShape,
  ...machineShape,
};
export const exportCommandShape = exportOwn;
export const importCommandShape = importOwn;
export const listCommandShape = listOwn;
export const cloneCommandShape = { ...projectCommandShape, ...cloneOwn, preset: preset('none') };
export const removeCommandShape = removeOwn;
export const doctorCommandShape = { device: machineShape.device, threads: machineShape.threads };
export const serveCommandShape = serveOwn;
export const startCommandShape = { ...startOwn, device: machineShape.device, threads: machineShape.threads };

export type TrainCommand = z.infer<z.ZodObject<typeof trainCommandShape>>;
export type RewardDataCommand = z.infer<z.ZodObject<typeof rewardDataCommandShape>>;
export type RewardModelCommand = z.infer<z.ZodObject<typeof rewardModelCommandShape>>;
export type GrpoCommand = z.infer<z.ZodObject<typeof grpoCommandShape>>;
export type ProjectCommand = z.infer<z.ZodObject<typeof projectCommandShape>>;
export type RateCommand = z.infer<z.ZodObject<typeof rateCommandShape>>;
export type SampleCommand = z.infer<z.ZodObject<typeof sampleCommandShape>>;
export type PerplexityCommand = z.infer<z.ZodObject<typeof perplexityCommandShape>>;
export type PreviewCommand = z.infer<z.ZodObject<typeof previewCommandShape>>;
export type DatasetInfoCommand = z.infer<z.ZodObject<typeof datasetInfoCommandShape>>;
export type ImportCommand = z.infer<z.ZodObject<typeof importCommandShape>>;
export type ListCommand = z.infer<z.ZodObject<typeof listCommandShape>>;
export type CloneCommand = z.infer<z.ZodObject<typeof cloneCommandShape>>;
export type RemoveCommand = z.infer<z.ZodObject<typeof removeCommandShape>>;
export type ExportCommand = z.infer<z.ZodObject<typeof exportCommandShape>>;
export type DoctorCommand = z.infer<z.ZodObject<typeof doctorCommandShape>>;
export type ServeCommand = z.infer<z.ZodObject<typeof serveCommandShape>>;
export type StartCommand = z.infer<z.ZodObject<typeof startCommandShape>>;

export interface CommandGroup {
  readonly title: string;
  readonly shape: Shape;
}

export interface CommandSpec {
  readonly name: CommandName;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, reads and writes. */
  readonly about: string;
  readonly groups: readonly CommandGroup[];
  /** The parameter that may also be given without its flag. */
  readonly positional?: string;
  /** Other spellings of flags: alias to key. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
}

const group = (title: string, shape: Shape): CommandGroup => ({ title, shape });
const data = group('Text', dataShape);
const network = group('Model', networkShape);
const training = group('Base training', trainShape);
const generation = group('Generation', generationShape);
const rewardData = group('Reward data', rewardDataShape);
const rewardModel = group('Reward model', rewardModelShape);
const grpo = group('GRPO', grpoShape);
const readers = group('Critic and judge', readersShape);
const cycle = group('Cycles', cycleShape);
const logging = group('Logging', loggingShape);
const machine = group('Machine', machineShape);
const projectGroups = [
  group('Project', projectOwn),
  data,
  network,
  training,
  generation,
  rewardData,
  rewardModel,
  grpo,
  readers,
  cycle,
  logging,
  machine,
];

/** `learning_rate` for `reward_learning_rate`: where a command has only one of its kind, the prefix may be left out. */
function withoutPrefix(prefix: string, shape: Shape, taken: Shape): Record<string, string> {
  const short = Object.keys(shape)
    .filter((key) => key.startsWith(prefix))
    .map((key) => [key.slice(prefix.length), key] as const);
  return Object.fromEntries(short.filter(([alias]) => !(alias in taken)));
}

export const commandNames = [
  'start',
  'serve',
  'preview',
  'new',
  'cycle',
  'list',
  'clone',
  'import',
  'rm',
  'train',
  'prepare_reward_data',
  'train_reward_model',
  'train_grpo',
  'rate',
  'sample',
  'perplexity',
  'dataset_info',
  'export',
  'doctor',
] as const;
export type CommandName = (typeof commandNames)[number];

export const commandSpecs: Readonly<Record<CommandName, CommandSpec>> = {
  start: {
    name: 'start',
    summary: 'The sample project: a book, a small model and two cycles; a good first thing to run.',
    about:
      'Makes a project from Moby-Dick, trains a small model on it, improves it in two cycles and shows what came of it. Run it again to continue, or to see the result once more.',
    groups: [group('Project', startOwn), group('Machine', doctorCommandShape)],
    positional: 'project',
    aliases: {},
    examples: ['start'],
  },
  serve: {
    name: 'serve',
    summary: 'Show the window in a browser: on this machine, or on a machine without a screen.',
    about:
      'Serves the window to a browser and prints its address, with a token that lets only you in. Training goes on while no browser is open; Ctrl-C stops it cleanly with a checkpoint.',
    groups: [group('Server', serveOwn)],
    aliases: {},
    examples: ['serve', 'serve --port 8080'],
  },
  preview: {
    name: 'preview',
    summary: 'Look at a text before training: tokens, samples, an example, warnings, time and disk.',
    about:
      'Reads the beginning of the text and shows what it and the settings come to: first lines, tokens and vocabulary, the longest repeated piece, how many samples the reward dataset would have, one of them, and about how long it all takes and how much disk it needs. Nothing is written.',
    groups: [group('Preview', previewOwn), data, network, training, rewardData, generation, machine],
    positional: 'data_path',
    aliases: {},
    examples: ['preview book.txt --tokenization char', 'preview --data_path "texts/*.txt" --preset small'],
  },
  new: {
    name: 'new',
    summary: 'Make a project from a text, without training yet.',
    about:
      'Makes a project folder: prepares the text, checks every setting and writes project.json. Train it with cycle.',
    groups: projectGroups,
    positional: 'project',
    aliases: { out_dir: 'project' },
    examples: ['new my-book --data_path book.txt --tokenization char --preset tiny'],
  },
  cycle: {
    name: 'cycle',
    summary: 'Train a project: base model, then cycle after cycle; continues where it stopped.',
    about:
      'Trains the base model and then improves it, cycle after cycle: reward data, reward model, GRPO, evaluation. Makes the project first when a text is given and the folder is not there. What is finished is kept, what is not is continued.',
    groups: projectGroups,
    positional: 'project',
    aliases: { out_dir: 'project' },
    examples: ['cycle my-book', 'cycle my-book --data_path book.txt --tokenization char --max_cycles 2'],
  },
  list: {
    name: 'list',
    summary: 'The projects in a folder, and how far each is.',
    about:
      'Shows every project in a folder: its state, its cycles, its best held-out perplexity, when it last changed.',
    groups: [group('List', listOwn)],
    positional: 'folder',
    aliases: {},
    examples: ['list', 'list ~/projects'],
  },
  clone: {
    name: 'clone',
    summary: 'Make a project with another’s configuration, changed where you say so.',
    about:
      'Makes a new project with the text and every setting of another one, except for the flags given. Nothing that was trained is taken over. Train it with cycle.',
    groups: [group('Clone', { ...cloneOwn, preset: preset('none') }), ...projectGroups.slice(1)],
    positional: 'project',
    aliases: {},
    examples: ['clone my-book --to my-book-wider --n_embd 256'],
  },
  import: {
    name: 'import',
    summary: 'Bring back a project from the one file it was exported to.',
    about:
      'Makes a project folder from what export --format project wrote. Every byte is checked; the project is there whole or not at all.',
    groups: [group('Import', importOwn)],
    positional: 'file',
    aliases: {},
    examples: ['import my-book.verisim.tar', 'import my-book.verisim.tar --project elsewhere/my-book'],
  },
  rm: {
    name: 'rm',
    summary: 'Move a project to the trash.',
    about:
      'Moves a project to the system’s trash, from where it can be put back. Without a trash it is not deleted, unless --force says for good.',
    groups: [group('Delete', removeOwn)],
    positional: 'project',
    aliases: {},
    examples: ['rm my-book', 'rm my-book --force'],
  },
  train: {
    name: 'train',
    summary: 'Train a base model on a text.',
    about: 'Prepares the text and trains a model to predict its next token, until the held-out loss stops improving.',
    groups: [group('Run', trainOwn), data, group('Model', trainNetworkShape), training, logging, machine],
    aliases: { output_dir: 'out_dir' },
    examples: [
      'train --data_path book.txt --tokenization char --out_dir out',
      'train --input_mode binary --train_bin data/train.bin --val_bin data/val.bin --preset small',
    ],
  },
  prepare_reward_data: {
    name: 'prepare_reward_data',
    summary: 'Make a reward dataset: natural beginnings with generated endings.',
    about:
      'Takes stretches of the text, keeps the first K tokens of each and lets the model write the rest. The dataset records how much of each is natural; the reward model learns to tell.',
    groups: [group('Run', rewardDataOwn), data, rewardData, generation, machine],
    aliases: { out_dir: 'output_dir' },
    examples: [
      'prepare_reward_data --model_path out --data_path book.txt',
      'prepare_reward_data --model_path out --input_mode binary --train_bin out/data/train.bin --val_bin out/data/val.bin --tokenization char --meta_path out/data/meta.pkl',
    ],
  },
  train_reward_model: {
    name: 'train_reward_model',
    summary: 'Train a reward model: how much of a passage is natural?',
    about: 'Puts a small head on the base model’s trunk and trains it to predict how much of a passage is natural.',
    groups: [group('Run', rewardModelOwn), rewardModel, logging, machine],
    aliases: {
      ...withoutPrefix('reward_', rewardModelShape, rewardModelOwn),
      data_dir: 'reward_data',
      output_dir: 'out_dir',
      max_steps: 'reward_max_iters',
    },
    examples: ['train_reward_model --model_path out --reward_data data/reward_dataset'],
  },
  train_grpo: {
    name: 'train_grpo',
    summary: 'Improve a base model with GRPO against a reward model.',
    about:
      'The model writes several completions of each prompt; the reward model judges them; what was judged better than its group is made likelier. It is held close to where it began, and stops when the reward model is fooled.',
    groups: [group('Run', grpoOwn), data, grpo, generation, logging, machine],
    aliases: {
      ...withoutPrefix('grpo_', grpoShape, { ...grpoOwn, ...dataShape }),
      output_dir: 'out_dir',
      max_iters: 'grpo_max_steps',
    },
    examples: ['train_grpo --model_path out --reward_model_path out-reward --data_path book.txt'],
  },
  rate: {
    name: 'rate',
    summary: 'Rate a project’s writing yourself, blind, and see whether it still improves.',
    about:
      'Shows passages of the text and of each generator in turn, without saying whose they are, and asks which is which. Tells at the end how often each was taken for natural. Ratings are kept with the project; run it again for more, or after another cycle.',
    groups: [group('Rate', rateOwn), group('Machine', doctorCommandShape)],
    positional: 'project',
    aliases: {},
    examples: ['rate my-book', 'rate my-book --passages 50'],
  },
  sample: {
    name: 'sample',
    summary: 'Let a model write.',
    about: 'Writes continuations of a prompt. The same seed gives the same text.',
    groups: [group('Sample', sampleOwn), generation, machine],
    positional: 'model_path',
    aliases: {},
    examples: ['sample out --prompt "Call me" --num_samples 2 --temperature 0.8'],
  },
  perplexity: {
    name: 'perplexity',
    summary: 'Measure how surprised a model is by a text: loss and perplexity.',
    about:
      'Reads the whole held-out part of the text and reports the mean loss per token and the perplexity, which is e to the power of the loss. Lower is better.',
    groups: [group('Measure', perplexityOwn), data, machine],
    positional: 'model_path',
    aliases: {},
    examples: ['perplexity out --data_path book.txt'],
  },
  dataset_info: {
    name: 'dataset_info',
    summary: 'Describe and check a reward dataset.',
    about: 'Shows how many samples a reward dataset has, how its targets are spread, and whether its two halves agree.',
    groups: [group('Dataset', datasetOwn)],
    positional: 'reward_data',
    aliases: { data_dir: 'reward_data', output_dir: 'reward_data' },
    examples: ['dataset_info data/reward_dataset'],
  },
  export: {
    name: 'export',
    summary: 'Write a model for another program (Hugging Face transformers, nanoGPT), or a project as one file.',
    about:
      'Writes a model as a Hugging Face GPT-2 folder or as nanoGPT’s ckpt.pt, with its vocabulary when its tokens are characters; it computes the same there as here. With --format project, the whole project goes into one tar file, which import brings back. What is exported stays as it is.',
    groups: [group('Export', exportOwn)],
    positional: 'model_path',
    aliases: { output_dir: 'out_dir' },
    examples: [
      'export out --out_dir out-hf',
      'export out --format nanogpt --out_dir out-nanogpt',
      'export my-book --format project',
    ],
  },
  doctor: {
    name: 'doctor',
    summary: 'What this machine has, how fast it is, and what is missing.',
    about: 'Checks the platform, TensorFlow and memory, measures the processor, and says how to mend what is missing.',
    groups: [group('Machine', doctorCommandShape)],
    aliases: {},
    examples: ['doctor', 'doctor --json'],
  },
};

/** Every parameter of a command, without the common flags. */
export const commandShape = (spec: CommandSpec): Shape =>
  Object.assign({}, ...spec.groups.map(({ shape }) => shape)) as Shape;
