/**
 * Creates a project with its text prepared and checked, or opens it with the settings it was made with. Only settings that
 * do not change the results so far may differ.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import type { ClusterConfig } from '../../../shared/config/cluster.js';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { typedValue } from '../../../shared/config/fields.js';
import {
  criticModelPath,
  initialModelPath,
  isNamed,
  namedModels,
  pathSettings,
  projectShape,
  sizeSettings,
  takenOver,
  type ProjectConfig,
} from '../../../shared/config/index.js';
import { ignoredNotice } from '../../../shared/config/removed-settings.js';
import { presetValues } from '../../../shared/config/resolve.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { requireBlock } from '../../engine/train/dataset.js';
import { addSteps, stepsOfBase } from '../../storage/projects/more-steps.js';
import { createProject, openProjectForWriting, type WritableProject } from '../../storage/projects/project-folder.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { criticNetwork, openInitialModel } from '../initial-models.js';
import { fetchNamedModel } from '../models.js';
import { openTrainingText, type OpenText } from '../text.js';
import type { JobContext } from '../types.js';
import { projectConfigOf, storedPath } from './project-settings.js';

export interface ProjectRequest {
  readonly folder: string;
  /** Null to resume an existing project. */
  readonly settings: ProjectCommand | null;
  /** What the user wrote; only this is compared with an existing project. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Events of an earlier run, for the project's log. */
  readonly earlier?: readonly JobEvent[];
  /** Omit to work on it in one process. */
  readonly cluster?: ClusterConfig;
}

export interface OpenedProject {
  readonly project: WritableProject;
  readonly config: ProjectConfig;
  readonly text: OpenText;
  close(): void;
}

// eslint-disable-next-line house/no-sentences -- a command
const COMMAND = 'verisim cycle';

/** Settings that affect only the rest of the run. */
const changeable = new Set(['max_cycles', 'stop_when', 'cycle_patience', 'device', 'threads', 'tensorboard']);

/** @throws UserError `locked`, `bad_input` for settings that an existing project cannot take, and faults of the text */
export async function openOrCreateProject(request: ProjectRequest, context: JobContext): Promise<OpenedProject> {
  const { folder, settings, given } = request;
  const isNew = !isProject(folder);
  const wasThere = existsSync(folder);
  const config = isNew && settings ? projectConfigOf(settings) : null;
  if (config) createProject(folder, config, { name: basename(resolve(folder)), verisim_version: packageFile.version });
  let project: WritableProject | null = null;
  try {
    project = openProjectForWriting(folder, COMMAND);
    const notice = ignoredNotice(project.ignored, 'project.json');
    if (notice) context.emit(notice);
    const more = config ? null : moreSteps(project, given);
    const { max_iters: _steps, ...others } = given;
    const wanted = config ? project.config : changed(project.config, more === null ? given : others);
    if (more) addSteps(project, more);
    // What was taken over stays, even if the model has changed since.
    const initial = wanted.architecture === undefined ? await openInitialModel(wanted, context) : null;
    const chosen = initial ? { ...wanted, ...takenOver(initial.model) } : wanted;
    if (wanted.critic_network === undefined) await fetchNamedModel(criticModelPath(wanted), context);
    const text = await openTrainingText(chosen, project.paths.data, context, {
      blockSize: chosen.block_size,
      keepBinary: true,
      as: initial?.tokenization,
    });
    try {
      requireBlock(text.train, chosen.block_size, 'train');
      requireBlock(text.val, chosen.block_size, 'val');
      const { vocab_size } = initialModelPath(chosen) === null ? { vocab_size: text.tokenizer.vocabSize } : chosen;
      const critic = chosen.critic_network ?? criticNetwork(chosen, vocab_size);
      const whole = { ...chosen, vocab_size, ...(critic ? { critic_network: critic } : {}) };
      if (JSON.stringify(whole) !== JSON.stringify(project.config)) project.saveConfig(whole);
      const opened = project;
      return {
        project,
        config: whole,
        text,
        close() {
          try {
            text.close();
          } finally {
            opened.lock.release();
          }
        },
      };
    } catch (error) {
      text.close();
      throw error;
    }
  } catch (error) {
    project?.lock.release();
    // A project that could not be made leaves nothing behind.
    if (config) {
      if (!wasThere) rmSync(folder, { recursive: true, force: true });
      else for (const part of ['project.json', 'data']) rmSync(join(folder, part), { recursive: true, force: true });
    }
    throw error;
  }
}

/** Counts the steps that a raised `max_iters` adds to base training, as *Train longer* does in the window; null if it is not raised. */
function moreSteps(project: WritableProject, { max_iters }: Readonly<Record<string, unknown>>): number | null {
  if (typeof max_iters !== 'number' || max_iters <= project.config.max_iters) return null;
  const now = stepsOfBase(project);
  return now === null || max_iters < now ? null : max_iters - now;
}

/** Returns a preset's sizes. Its other values may have changed since the project was made, so only these are compared. */
function sizeOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values = presetValues(projectShape, given['preset'], given);
  return Object.fromEntries(sizeSettings.flatMap((key) => (key in values ? [[key, values[key]]] : [])));
}

function changed(config: ProjectConfig, given: Readonly<Record<string, unknown>>): ProjectConfig {
  const wanted: Record<string, unknown> = { ...sizeOf(given), ...given };
  const differences = Object.entries(wanted).filter(([key, value]) => {
    if (!(key in projectShape) || changeable.has(key)) return false;
    // Older projects do not name their architecture.
    const there = key === 'architecture' ? (config[key] ?? 'gpt2') : config[key as keyof ProjectConfig];
    if (namedModels.includes(key) && !isNamed(value)) return isNamed(config[key as keyof ProjectConfig]);
    return pathSettings.includes(key) ? storedPath(key, String(value)) !== there : value !== there;
  });
  if (differences.length > 0) {
    const words = differences.map(([key, value]) => {
      const there = typedValue(config[key as keyof ProjectConfig]);
      return localized('resume.difference', { key, there, given: typedValue(value) });
    });
    throw new UserError({
      code: 'bad_input',
      message: localized('resume.other_settings', { words }),
      hint: localized('resume.leave_out_flags', { changeable: [...changeable].join(', ') }),
      field: differences[0]?.[0] ?? 'project',
    });
  }
  const changes = Object.fromEntries(Object.entries(wanted).filter(([key]) => changeable.has(key)));
  return { ...config, ...changes };
}
