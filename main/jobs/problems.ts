/** What keeps each command from running, found before anything is loaded or written. Pure, given what is on disk. */
import { localized } from '../../shared/messages/message.js';
import {
  criticProblems,
  error,
  modelFileProblems,
  modelProblems,
  outputProblems,
  presetProblems,
  mixedTextProblems,
  rewardShapeProblems,
  scheduleProblems,
  type FileFacts,
  type Problem,
} from '../../shared/config/checks.js';
import { program } from '../../shared/config/command-line.js';
import type { DataConfig } from '../../shared/config/data.js';
import type { TuneConfig } from '../../shared/config/tune.js';
import { dataProblems } from '../../shared/config/data-checks.js';
import { initialModelPath } from '../../shared/config/init.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import type {
  GrpoCommand,
  PreviewCommand,
  ProjectCommand,
  RewardDataCommand,
  RewardModelCommand,
  TrainCommand,
} from '../../shared/config/commands.js';
import { isProject } from '../storage/projects/project-paths.js';

type Check<C> = (config: C, files: FileFacts) => Problem[];

const lenient = { charNeedsMeta: false };

/** What keeps the model that training begins from from being one, or adapters from having one to adapt. */
export function initialProblems(
  config: { readonly init_from?: string | undefined; readonly tune?: TuneConfig['tune'] },
  files: FileFacts,
): Problem[] {
  const path = initialModelPath(config);
  if (path !== null) return modelFileProblems('init_from', path, files);
  if (config.tune !== 'lora') return [];
  return [
    error('bad_input', 'tune', localized('init.lora_needs_model'), localized('init.give_model'), {
      set: { tune: 'full' },
    }),
  ];
}

export const trainProblems: Check<TrainCommand> = (config, files) => [
  ...presetProblems(config),
  ...initialProblems(config, files),
  ...dataProblems(config, files, lenient),
  ...modelProblems(config),
  ...scheduleProblems(config),
  ...outputProblems('out_dir', config.out_dir, files),
];

export const rewardDataProblems: Check<RewardDataCommand> = (config, files) => [
  ...modelFileProblems('model_path', config.model_path, files),
  ...dataProblems(config, files, { charNeedsMeta: true }),
  ...outputProblems('output_dir', config.output_dir, files),
];

export const rewardModelProblems: Check<RewardModelCommand> = (config, files) => [
  ...modelFileProblems('model_path', config.model_path, files),
  ...(config.critic_path === undefined ? [] : modelFileProblems('critic_path', config.critic_path, files)),
  ...folderProblems(config.reward_data, files),
  ...outputProblems('out_dir', config.out_dir, files),
];

export const grpoProblems: Check<GrpoCommand> = (config, files) => [
  ...modelFileProblems('model_path', config.model_path, files),
  ...modelFileProblems('reward_model_path', config.reward_model_path, files),
  ...dataProblems(config, files, lenient),
  ...outputProblems('out_dir', config.out_dir, files),
];

function criticFileProblems(config: { readonly critic_from?: string | undefined }, files: FileFacts): Problem[] {
  const path = criticModelPath(config);
  return path === null ? [] : modelFileProblems('critic_from', path, files);
}

/** For a project that is about to be made; an existing one is checked against its project.json. */
export const projectProblems: Check<ProjectCommand> = (config, files) => [
  ...presetProblems(config),
  ...initialProblems(config, files),
  ...criticProblems(config),
  ...criticFileProblems(config, files),
  ...dataProblems(config, files, lenient),
  ...modelProblems(config),
  ...scheduleProblems(config),
  ...rewardShapeProblems(config),
  ...mixedTextProblems(config),
  ...outputProblems('project', config.project, files),
];

export const sampleProblems: Check<{ readonly model_path: string }> = (config, files) =>
  modelFileProblems('model_path', config.model_path, files);

export const perplexityProblems: Check<DataConfig & { readonly model_path: string }> = (config, files) => [
  ...modelFileProblems('model_path', config.model_path, files),
  ...dataProblems(config, files, lenient),
];

export const previewProblems: Check<PreviewCommand> = (config, files) => [
  ...(config.model_path === undefined ? [] : modelFileProblems('model_path', config.model_path, files)),
  ...criticFileProblems(config, files),
  ...dataProblems(config, files, lenient),
  ...modelProblems(config),
];

/** For a command that works on a project which must be there. */
export const existingProjectProblems = (field: string, folder: string): Problem[] =>
  isProject(folder)
    ? []
    : [
        error(
          'file_not_found',
          field,
          localized('projects.not_a_project', { folder }),
          localized('projects.see_list', { program }),
        ),
      ];

export function folderProblems(path: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'folder' && files.readable(path)) return [];
  const missing = kind === 'missing';
  if (kind === 'file') {
    const hint = 'Give the folder itself, which holds train_metadata.txt and val_metadata.txt.';
    return [error('file_not_readable', 'reward_data', localized('rewardData.is_file', { path }), hint)];
  }
  const message = `Reward dataset ${missing ? 'not found' : 'cannot be read'}: ${path}`;
  const hint = missing ? localized('rewardData.make_or_give') : localized('rewardData.check_path');
  return [error(missing ? 'file_not_found' : 'file_not_readable', 'reward_data', message, hint)];
}
