/** A project's settings as a person would give them again: for a copy of it, or for one that begins from what it has learned. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../../../shared/config/command-line.js';
import { projectCommandShape } from '../../../shared/config/commands.js';
import { initialModelPath, namedModels, type ProjectConfig, withoutTakenOver } from '../../../shared/config/index.js';
import { presetNames, pretrainedPreset, sizeSettings, valuesOf } from '../../../shared/config/presets.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { plainTraining, versionToTrainOn } from '../../../shared/reports/cycle-control.js';
import { UserError } from '../../../shared/errors.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { openTokenFile } from '../../storage/datasets/token-files.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';

/** The size whose shape the model has, or the one for a model that it begins from; none when it is the person's own. */
export function presetOf(config: ProjectConfig): string {
  const named = presetNames.find((name) => {
    const values = valuesOf(name, {});
    const { architecture = 'gpt2' } = values;
    const isOfIt = architecture === (config.architecture ?? 'gpt2');
    return isOfIt && sizeSettings.every((key) => values[key] === config[key]);
  });
  return named ?? (initialModelPath(config) === null ? 'none' : pretrainedPreset);
}

/** What was asked of a project, without what follows from its text or was taken over from the model that it begins from. */
function askedOf(config: ProjectConfig): Partial<ProjectConfig> {
  const { vocab_size: _vocabulary, mode: _mode, bias: _bias, ...settings } = withoutTakenOver(config);
  // Said, because a size of today may have another.
  if (initialModelPath(config) === null) return { architecture: 'gpt2', ...settings };
  const { n_layer: _layers, n_head: _heads, n_embd: _width, ...rest } = settings;
  return rest;
}

/**
 * The same settings, starting from a model with its tokens. The model has read the text as often as it will again, so dropout suits
 * both together: with it, 600,000 letters that had been read 6.6 times gave 0.07 nats per character of unseen text, without it none.
 */
function begunFrom(config: ProjectConfig, init_from: string, data: string): ProjectConfig {
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

/** Where a finished base model of a project is. */
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

/** What settings differ from a preset's own. */
function differingFrom(preset: string, project: string, settings: Partial<ProjectConfig>): GivenSettings {
  const { init_from, critic_from } = settings;
  const initial = resolveSettings(projectCommandShape, { project, preset, init_from, critic_from });
  const defaults = initial.ok ? initial.value : {};
  const given = Object.entries(settings).filter(
    ([key, value]) => value !== undefined && (namedModels.includes(key) || value !== defaults[key]),
  );
  return Object.fromEntries(given) as GivenSettings;
}

/**
 * What differs from the preset's own settings; of a size of the person's own, from the preset that it differs least from.
 * @param model a base model of the project to begin from
 * @throws UserError `file_not_found` where it has no such base model
 */
export function settingsAgain(
  folder: string,
  model?: string,
): { readonly preset: string; readonly given: GivenSettings } {
  const { config: own, paths } = openProject(folder);
  const config = model === undefined ? own : begunFrom(own, baseModelOf(paths, model), paths.data);
  const settings = askedOf(config);
  const known = presetOf(own);
  // What a preset says and the project does not know would be another project's.
  const whole = presetNames.filter((name) => Object.keys(valuesOf(name, {})).every((key) => key in config));
  const [nearest] = (known === 'none' ? [known, ...whole] : [known])
    .map((preset) => ({ preset, given: differingFrom(preset, folder, settings) }))
    .sort((a, b) => Object.keys(a.given).length - Object.keys(b.given).length);
  if (!nearest) throw new Error('no preset to compare with');
  return nearest;
}

/** The command that trains on where the newest cycle's control found that better; null where it did not. */
export function trainingOnCommand(folder: string, reports: readonly CycleReport[]): string | null {
  const version = versionToTrainOn(reports);
  if (version === null) return null;
  const { preset, given } = settingsAgain(folder, version);
  return commandLine('cycle', { project: `${folder}-trained-on`, preset, ...given, ...plainTraining });
}
