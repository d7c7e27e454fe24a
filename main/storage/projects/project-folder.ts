/** Creates and opens projects. project.json holds the configuration; opening for writing takes the lock and recovers. */
import * as path from 'node:path';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { modelConfigSchema, type ProjectConfig, projectConfigSchema } from '../../../shared/config/index.js';
import { asBefore, presentSettings } from '../../../shared/config/removed-settings.js';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized } from '../../../shared/messages/message.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { shorten } from '../../formats/shorten.js';
import { plainJson } from '../../formats/stable-json.js';
import { recover } from '../disk/atomic.js';
import { readText } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { writeJson } from '../disk/json-file.js';
import { acquireLock, type ProjectLock } from '../disk/lock.js';
import { type ProjectPaths, projectPaths } from './project-paths.js';

const FORMAT_VERSION = 1;

const projectSchema = z.object({
  format_version: z.literal(FORMAT_VERSION),
  verisim_version: z.string(),
  name: z.string().min(1).max(200),
  // Strict: a misspelled key must not fall back to a default in silence.
  config: z.strictObject(projectConfigSchema.shape).superRefine((config, context) => {
    for (const issue of modelConfigSchema.safeParse(config).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
    }
  }),
});

interface ProjectInfo {
  readonly name: string;
  readonly verisim_version: string;
}

export interface Project extends ProjectInfo {
  readonly config: ProjectConfig;
  readonly paths: ProjectPaths;
  /** Settings in its file that this version does not have. */
  readonly ignored: readonly string[];
}

export interface WritableProject extends Project {
  saveConfig(config: ProjectConfig): void;
  readonly lock: ProjectLock;
}

/** Creates a project in a new or empty folder. @throws UserError `exists`, `bad_input`, `disk_full`, `file_not_writable` */
export function createProject(
  folder: string,
  config: ProjectConfig,
  info: ProjectInfo,
  ops = nodeFileOperations,
): Project {
  const paths = projectPaths(folder);
  recover(folder, path.basename(paths.config), ops);
  const isFree = onFile(folder, 'write', () => {
    const kind = ops.kind(folder);
    return kind === 'none' || (kind === 'folder' && ops.list(folder).length === 0);
  });
  if (!isFree) {
    throw new UserError({
      code: 'exists',
      message: localized('projects.exists_empty', { folder }),
      hint: localized('projects.choose_new_empty_folder_project'),
    });
  }
  writeConfig(paths, config, info, ops);
  return openProject(folder, ops);
}

/** Reads a project. @throws UserError `file_not_found`, `file_not_readable`, `file_damaged`, `bad_input` naming the field */
export function openProject(folder: string, ops = nodeFileOperations): Project {
  const paths = projectPaths(folder);
  if (onFile(folder, 'read', () => ops.kind(paths.config)) === 'none') {
    throw new UserError({
      code: 'file_not_found',
      message: localized('projects.verisim_project_holds_no_project', { folder }),
      hint: localized('projects.projects_folder_file_project_json'),
    });
  }
  const { name, verisim_version, config, ignored } = parseProject(paths, readText(paths.config, ops));
  return { name, verisim_version, config, paths, ignored };
}

/** Opens a project as its only writer and recovers it. @throws UserError `locked`, and those of `openProject` */
export function openProjectForWriting(folder: string, command: string, ops = nodeFileOperations): WritableProject {
  openProject(folder, ops); // a folder that is no project gets no lock in it
  const lock = acquireLock(folder, command, ops);
  try {
    const project = openProject(folder, ops);
    recoverAll(project.paths, ops);
    return { ...project, lock, saveConfig: (config) => writeConfig(project.paths, config, project, ops) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Renames an idle project; its folder stays. @throws UserError `locked`, `bad_input` */
export function renameProject(folder: string, name: string): void {
  const { lock, ...project } = openProjectForWriting(folder, 'verisim: renaming the project');
  try {
    writeConfig(project.paths, project.config, { ...project, name }, nodeFileOperations);
  } finally {
    lock.release();
  }
}

/** Recovers every folder of a project that Verisim writes; folders of the user's are left alone. */
function recoverAll(paths: ProjectPaths, ops: FileOperations): void {
  const cycles = onFile(paths.cycles, 'read', () =>
    ops.kind(paths.cycles) === 'folder' ? ops.list(paths.cycles) : [],
  );
  const folders = [paths.folder, paths.data, paths.checkpoints, paths.ratings, paths.cycles];
  for (const name of cycles) folders.push(path.join(paths.cycles, name));
  for (const folder of folders) recover(folder, undefined, ops);
}

function writeConfig(
  paths: ProjectPaths,
  config: ProjectConfig,
  { name, verisim_version }: ProjectInfo,
  ops: FileOperations,
): void {
  const project = { format_version: FORMAT_VERSION, verisim_version, name, config };
  // Through JSON, which leaves out what is undefined; then checked as it will be when read again.
  const { ignored: _, ...checked } = parseProject(paths, JSON.stringify(project));
  writeJson(paths.config, plainJson(checked), ops);
}

const anyProject = z.looseObject({ config: z.record(z.string(), z.unknown()) });

function parseProject({ config: file }: ProjectPaths, text: string) {
  let json: unknown;
  try {
    json = parseBoundedJson(text);
  } catch (error) {
    throw new UserError(
      {
        code: 'file_damaged',
        message: localized('projects.damaged_json', { config: file }),
        hint: localized('projects.restore_file_copy_fix_text'),
      },
      { cause: error },
    );
  }
  const any = anyProject.safeParse(json);
  const current = any.success ? presentSettings(any.data.config, projectConfigSchema.shape) : null;
  const parsed = projectSchema.safeParse(current ? { ...any.data, config: asBefore(current.values) } : json);
  if (parsed.success) return { ...parsed.data, ignored: current?.ignored ?? [] };
  const { verisim_version: version, format_version: format } = { ...any.data } as Record<string, unknown>;
  if (Number(format) > FORMAT_VERSION || (typeof version === 'string' && isAfter(version, packageFile.version))) {
    throw new UserError({
      code: 'unsupported',
      message: localized('projects.newer', { file }),
      hint: localized('projects.use_newer_version', { version: shorten(String(version ?? '')) }),
    });
  }
  const [issue] = parsed.error.issues as [z.core.$ZodIssue];
  const [group, field] = issue.path;
  const facts = { setting: shorten(issue.path.join('.') || 'project.json'), issue: shorten(issue.message, 300) };
  throw new UserError({
    code: 'bad_input',
    message: localized('projects.bad_value', { file, ...facts }),
    hint: localized('projects.fix_value_file_restore_file'),
    ...(group === 'config' && field !== undefined && { field: String(field) }),
  });
}

const isAfter = (version: string, other: string): boolean => version.localeCompare(other, 'en', { numeric: true }) > 0;
