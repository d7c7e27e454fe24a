/**
 * Makes the settings of projects: from a command, for the sample project, and from an existing project, for a copy of it or
 * for one that starts from what it has learned.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { commandLine } from '../../../shared/config/command-line.js';
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import {
  initialModelPath,
  namedModels,
  pathSettings,
  takenOverShape,
  withoutScratch,
  withoutTakenOver,
  withoutUsualArchitecture,
  type ProjectConfig,
} from '../../../shared/config/index.js';
import { presetNames, pretrainedPreset, sizeSettings, valuesOf } from '../../../shared/config/presets.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { beginningMemory } from '../../../shared/phases/estimate.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import { plainTraining, versionToTrainOn } from '../../../shared/reports/cycle-control.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import { sampleModelPath, sampleTextPath } from '../../installation/locations.mjs';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { hubNameOf } from '../../storage/hub/hub-cache.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';
import { initialShape } from '../initial-models.js';
import { memoryLimit } from '../machine/memory.js';

/** Makes a path absolute; a name of the hub stays one, unless there is a folder of that name. */
export const storedPath = (key: string, value: string): string =>
  namedModels.includes(key) && hubNameOf(value) !== null ? value : resolve(value);

/** Returns a project's own settings out of a command's; paths become absolute, so that it works from any folder. */
export function projectConfigOf(settings: ProjectCommand): ProjectConfig {
  const { project: _project, preset: _preset, ...rest } = withoutUsualArchitecture(withoutScratch(settings));
  const paths = Object.entries(rest).flatMap(([key, value]) =>
    pathSettings.includes(key) && typeof value === 'string' ? [[key, storedPath(key, value)] as const] : [],
  );
  return {
    ...rest,
    ...Object.fromEntries(paths),
    mode: 'generator',
    bias: true,
    vocab_size: takenOverShape.vocab_size.parse(undefined),
  };
}

/** Returns why the sample does not start from its model here, or null if it does. */
export function sampleModelTrouble(): 'absent' | 'memory' | null {
  const file = sampleModelPath();
  if (!existsSync(file)) return 'absent';
  const shape = initialShape({ init_from: file });
  return shape !== null && beginningMemory(shape.model) > memoryLimit() ? 'memory' : null;
}

/** The model that the sample starts from; undefined if it is absent or too large for this machine. */
export const sampleModelHere = (): string | undefined =>
  sampleModelTrouble() === null ? sampleModelPath() : undefined;

/** @param given the folder, the machine's settings, and `init_from` unless it is the sample's own model */
export function sampleSettings(given: Pick<ProjectCommand, 'project'> & Partial<ProjectCommand>): ProjectCommand {
  const { init_from = sampleModelHere(), ...rest } = given;
  const values = { data_path: sampleTextPath(), ...sampleProject(init_from), ...rest };
  const resolved = resolveSettings(projectCommandShape, values);
  if (!resolved.ok) throw new Error(`the sample project's settings: ${JSON.stringify(resolved.problems)}`);
  return z.object(projectCommandShape).parse(resolved.value);
}

/** Returns the preset with the model's shape, the one for a model to start from, or `none`. */
export function presetOf(config: ProjectConfig): string {
  const named = presetNames.find((name) => {
    const values = valuesOf(name, {});
    const isOfIt = (values.architecture ?? 'gpt2') === (config.architecture ?? 'gpt2');
    return isOfIt && sizeSettings.every((key) => values[key] === config[key]);
  });
  return named ?? (initialModelPath(config) === null ? 'none' : pretrainedPreset);
}

/**
 * Returns the settings that produce a project again: the differences from its preset, or from the nearest one.
 * @param model a base model of the project to start from
 * @throws UserError `file_not_found` if it has no such base model
 */
export function settingsAgain(
  folder: string,
  model?: string,
): { readonly preset: string; readonly given: GivenSettings } {
  const { config: own, paths } = openProject(folder);
  const config = model === undefined ? own : startedFrom(own, baseModelOf(paths, model), paths.data);
  const settings = withoutDerived(config);
  const known = presetOf(own);
  // A preset with a setting that the project does not know would give another project.
  const whole = presetNames.filter((name) => Object.keys(valuesOf(name, {})).every((key) => key in config));
  const [nearest] = (known === 'none' ? [known, ...whole] : [known])
    .map((preset) => ({ preset, given: differencesFrom(preset, folder, settings) }))
    .sort((a, b) => Object.keys(a.given).length - Object.keys(b.given).length);
  if (!nearest) throw new Error('no preset to compare with');
  return nearest;
}

/** Removes what follows from the text or was taken over from the model that training starts from. */
function withoutDerived(config: ProjectConfig): Partial<ProjectConfig> {
  const { vocab_size: _vocabulary, mode: _mode, bias: _bias, ...settings } = withoutTakenOver(config);
  // Name the architecture, as today's preset may have another.
  if (initialModelPath(config) === null) return { architecture: 'gpt2', ...settings };
  const { n_layer: _layers, n_head: _heads, n_embd: _width, ...rest } = settings;
  return rest;
}

/**
 * Changes settings to start from a model with its tokens. It will have read the text twice as often, so dropout suits both
 * trainings together: with it, 600,000 letters read 6.6 times gained 0.07 nats per character of unseen text, without it none.
 */
function startedFrom(config: ProjectConfig, init_from: string, data: string): ProjectConfig {
  const { meta_path: _meta, tokenizer_path: _tokenizer, ...rest } = config;
  const tokens = trainTokensIn(data, config);
  const twice = { ...config, max_iters: 2 * config.max_iters };
  const dropout = tokens === null ? config.dropout : suitedDropout(config, passesThrough(twice, config, tokens));
  return { ...rest, tokenization: 'auto', init_from, dropout };
}

/** Counts the project's training tokens; null if its data are gone. */
function trainTokensIn(data: string, { input_mode, train_bin, vocab_size }: ProjectConfig): number | null {
  const file = input_mode === 'binary' && train_bin ? train_bin : join(data, 'train.bin');
  if (!existsSync(file)) return null;
  const tokens = openTokenFile(file, { split: 'train', vocabSize: vocab_size });
  try {
    return tokens.length;
  } finally {
    tokens.close();
  }
}

/** Locates a finished base model of a project. */
function baseModelOf(paths: ProjectPaths, name: string): string {
  const folder = parseArtefact(name)?.kind === 'base_model' ? paths.model(name) : null;
  if (folder !== null && existsSync(folder)) return folder;
  throw new UserError({
    code: 'file_not_found',
    message: localized('baseModel.missing', { name: name.slice(0, 80) }),
    hint: localized('baseModel.choose'),
    field: 'model',
  });
}

function differencesFrom(preset: string, project: string, settings: Partial<ProjectConfig>): GivenSettings {
  const { init_from, critic_from } = settings;
  const initial = resolveSettings(projectCommandShape, { project, preset, init_from, critic_from });
  const defaults = initial.ok ? initial.value : {};
  const given = Object.entries(settings).filter(
    ([key, value]) => value !== undefined && (namedModels.includes(key) || value !== defaults[key]),
  );
  return Object.fromEntries(given) as GivenSettings;
}

/** Returns the command that trains on if the newest cycle's control found that better, or null. */
export function trainingOnCommand(folder: string, reports: readonly CycleReport[]): string | null {
  const version = versionToTrainOn(reports);
  if (version === null) return null;
  const { preset, given } = settingsAgain(folder, version);
  return commandLine('cycle', { project: `${folder}-trained-on`, preset, ...given, ...plainTraining });
}
