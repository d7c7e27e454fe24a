/** What is wrong with a draft as one types: told at once from the schemas, and completed by what the main process sees. */
import {
  checkValues,
  criticProblems,
  modelProblems,
  presetProblems,
  mixedTextProblems,
  rewardShapeProblems,
  scheduleProblems,
  type Problem,
} from '../../shared/config/checks.js';
import { initialModelPath, namedModels, projectShape, type ProjectConfig } from '../../shared/config/index.js';
import { isForPretrained } from '../../shared/config/presets.js';
import { presetValues } from '../../shared/config/resolve.js';
import type { GivenSettings } from '../../shared/contract/values.js';

/** Every setting as it would be used: what is given, else the preset's, else the schema's default. */
export function effectiveSettings(preset: string, given: GivenSettings): Record<string, unknown> {
  const values: Record<string, unknown> = { ...presetValues(projectShape, preset, given), ...given };
  for (const [key, schema] of Object.entries(projectShape)) {
    if (!(key in values)) values[key] = schema.safeParse(undefined).data;
  }
  return values;
}

/**
 * What the preset says by itself, for the models that were chosen. Where a project of some size trains on from what it has
 * learned, that size's own values, not those for a model that somebody else has trained.
 */
export function standardSettings(preset: string, given: GivenSettings): Record<string, unknown> {
  const models = Object.fromEntries(Object.entries(given).filter(([key]) => namedModels.includes(key)));
  const isTrainedOn = initialModelPath(models) !== null && preset !== 'none' && !isForPretrained(preset);
  return effectiveSettings(preset, isTrainedOn ? {} : models);
}

/** What the schemas and the rules between settings say, without looking at any file. */
export function typedProblems(preset: string, given: GivenSettings): readonly Problem[] {
  const values = { ...presetValues(projectShape, preset, given), ...given };
  const checked = checkValues(projectShape, values);
  const wrong = checked.ok ? [] : checked.problems;
  // Rules between settings are told beside what is wrong with others, not after it: values that are wrong take the
  // standard meanwhile, and what a rule says of those is left out.
  const wrongFields = new Set(wrong.map(({ field }) => field));
  const usable = Object.fromEntries(Object.entries(given).filter(([key]) => !wrongFields.has(key)));
  const config = effectiveSettings(preset, usable) as ProjectConfig;
  const isBegun = initialModelPath(config) !== null;
  const together = [
    ...presetProblems({ ...config, preset }),
    ...criticProblems(config),
    ...(isBegun ? [] : modelProblems(config)),
    ...scheduleProblems(config),
    ...rewardShapeProblems(config),
    ...mixedTextProblems(config),
  ];
  return [...wrong, ...together.filter(({ field }) => !wrongFields.has(field))];
}

/**
 * One list out of what is known here and what was answered. What was answered about a field that has changed since is
 * left out: it may be mended already.
 */
export function mergedProblems(
  here: readonly Problem[],
  answered: readonly Problem[],
  changedSince: { has(field: string): boolean },
): readonly Problem[] {
  const named = ({ field, message }: Problem) => JSON.stringify([field, message]);
  const known = new Set(here.map(named));
  const fieldsHere = new Set(here.map(({ field }) => field));
  const others = answered.filter(
    (problem) =>
      !known.has(named(problem)) &&
      !(problem.field !== null && (changedSince.has(problem.field) || fieldsHere.has(problem.field))),
  );
  return [...here, ...others].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
}
