/** Finds what prevents each command from running, before anything is loaded or written. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  criticProblems,
  error,
  mixedTextProblems,
  modelFileProblems,
  modelProblems,
  outputProblems,
  presetProblems,
  rewardShapeProblems,
  voiceProblems,
  scheduleProblems,
  type FileFacts,
  type Problem,
} from '../../shared/config/checks.js';
import { program } from '../../shared/config/command-line.js';
import type {
  GrpoCommand,
  PreviewCommand,
  ProjectCommand,
  RewardDataCommand,
  RewardModelCommand,
  TrainCommand,
} from '../../shared/config/commands.js';
import { dataProblems } from '../../shared/config/data-checks.js';
import type { DataConfig } from '../../shared/config/data.js';
import { initialModelPath } from '../../shared/config/init.js';
import { criticModelPath } from '../../shared/config/scoring-models.js';
import type { TuneConfig } from '../../shared/config/tune.js';
import { localized } from '../../shared/messages/message.js';
import { isProject } from '../storage/projects/project-paths.js';
import { filesMatching } from '../storage/texts/list/glob.js';
import { textsInFolder } from '../storage/texts/list/list-texts.js';

type Check<C> = (config: C, files: FileFacts) => Problem[];

const lenient = { charNeedsMeta: false };

const modelProblemsOf = (field: string, path: string | null | undefined, files: FileFacts): Problem[] =>
  path === null || path === undefined ? [] : modelFileProblems(field, path, files);

/** Checks the model that training starts from, and that adapters have one. */
export function initialProblems(
  config: { readonly init_from?: string | undefined; readonly tune?: TuneConfig['tune'] },
  files: FileFacts,
): Problem[] {
  const path = initialModelPath(config);
  if (path !== null || config.tune !== 'lora') return modelProblemsOf('init_from', path, files);
  const fix = { set: { tune: 'full' } } as const;
  return [error('bad_input', 'tune', localized('init.lora_needs_model'), localized('init.give_model'), fix)];
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
  ...modelProblemsOf('critic_path', config.critic_path, files),
  ...voiceProblems(config),
  ...folderProblems(config.reward_data, files),
  ...outputProblems('out_dir', config.out_dir, files),
];

export const grpoProblems: Check<GrpoCommand> = (config, files) => [
  ...modelFileProblems('model_path', config.model_path, files),
  ...modelFileProblems('reward_model_path', config.reward_model_path, files),
  ...dataProblems(config, files, lenient),
  ...outputProblems('out_dir', config.out_dir, files),
];

/** Checks a new project; an existing one is compared with its project.json. */
export const projectProblems: Check<ProjectCommand> = (config, files) => [
  ...presetProblems(config),
  ...initialProblems(config, files),
  ...criticProblems(config),
  ...modelProblemsOf('critic_from', criticModelPath(config), files),
  ...dataProblems(config, files, lenient),
  ...modelProblems(config),
  ...scheduleProblems(config),
  ...rewardShapeProblems(config),
  ...voiceProblems(config),
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
  ...modelProblemsOf('model_path', config.model_path, files),
  ...modelProblemsOf('critic_from', criticModelPath(config), files),
  ...dataProblems(config, files, lenient),
  ...modelProblems(config),
];

/** For a command that needs an existing project. */
export function existingProjectProblems(field: string, folder: string): Problem[] {
  if (isProject(folder)) return [];
  const message = localized('projects.not_a_project', { folder });
  return [error('file_not_found', field, message, localized('projects.see_list', { program }))];
}

/** Checks the folder of a reward dataset. */
export function folderProblems(path: string, files: FileFacts): Problem[] {
  const kind = files.kind(path);
  if (kind === 'folder' && files.readable(path)) return [];
  const [trouble, hint] = {
    missing: ['missing', localized('rewardData.make_or_give')] as const,
    folder: ['unreadable', localized('rewardData.check_path')] as const,
    file: ['is_file', localized('rewardData.give_folder')] as const,
  }[kind];
  const code = kind === 'missing' ? 'file_not_found' : 'file_not_readable';
  return [error(code, 'reward_data', localized(`rewardFolder.${trouble}`, { path }), hint)];
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function kind(path: string): ReturnType<FileFacts['kind']> {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    // A folder without search permission hides its files: report "cannot be read" rather than "not found".
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'file' : 'missing';
  }
}

/** Lists files; none if the folder cannot be read. One that holds too much is reported when it is read. */
function listed(list: () => readonly string[]): readonly string[] {
  try {
    return list();
  } catch {
    return [];
  }
}

export const fileFacts: FileFacts = {
  kind,
  readable: (path) => may(path, constants.R_OK | (kind(path) === 'folder' ? constants.X_OK : 0)),
  writable(path) {
    let folder = resolve(path);
    while (kind(folder) === 'missing' && dirname(folder) !== folder) folder = dirname(folder);
    return kind(folder) === 'folder' && may(folder, constants.W_OK | constants.X_OK);
  },
  matching: (pattern) => listed(() => filesMatching(pattern)),
  textsIn: (folder) => listed(() => textsInFolder(folder).files),
};
