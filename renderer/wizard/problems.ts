/** Lists a draft's problems while the user types: from the schemas at once, completed by the main process. */
import {
  checkValues,
  criticProblems,
  modelProblems,
  presetProblems,
  mixedTextProblems,
  rewardShapeProblems,
  voiceProblems,
  scheduleProblems,
  type Problem,
} from '../../shared/config/checks.js';
import { initialModelPath, namedModels, projectShape, type ProjectConfig } from '../../shared/config/index.js';
import { isForPretrained } from '../../shared/config/presets.js';
import { presetValues } from '../../shared/config/resolve.js';
import type { GivenSettings } from '../../shared/contract/values.js';

/** Every setting with its effective value: the given one, else the preset's, else the default. */
export function effectiveSettings(preset: string, given: GivenSettings): Record<string, unknown> {
  const values: Record<string, unknown> = { ...presetValues(projectShape, preset, given), ...given };
  for (const [key, schema] of Object.entries(projectShape)) {
    if (!(key in values)) values[key] = schema.safeParse(undefined).data;
  }
  return values;
}

/**
 * The preset's own values for the chosen models. A project of some size that trains on from its own model takes that
 * size's values, not those for a pretrained model.
 */
export function standardSettings(preset: string, given: GivenSettings): Record<string, unknown> {
  const models = Object.fromEntries(Object.entries(given).filter(([key]) => namedModels.includes(key)));
  const isTrainedOn = initialModelPath(models) !== null && preset !== 'none' && !isForPretrained(preset);
  return effectiveSettings(preset, isTrainedOn ? {} : models);
}

/** Problems by the schemas and the rules between settings, without looking at any file. */
export function typedProblems(preset: string, given: GivenSettings): readonly Problem[] {
  const values = { ...presetValues(projectShape, preset, given), ...given };
  const checked = checkValues(projectShape, values);
  const wrong = checked.ok ? [] : checked.problems;
  // Rules between settings are checked along with other problems: invalid values take the default meanwhile, and a
  // rule's problems with those are left out.
  const wrongFields = new Set(wrong.map(({ field }) => field));
  const usable = Object.fromEntries(Object.entries(given).filter(([key]) => !wrongFields.has(key)));
  const config = effectiveSettings(preset, usable) as ProjectConfig;
  const isBeginning = initialModelPath(config) !== null;
  const together = [
    ...presetProblems({ ...config, preset }),
    ...criticProblems(config),
    ...(isBeginning ? [] : modelProblems(config)),
    ...scheduleProblems(config),
    ...rewardShapeProblems(config),
    ...voiceProblems({ ...config, preset }),
    ...mixedTextProblems(config),
  ];
  return [...wrong, ...together.filter(({ field }) => !wrongFields.has(field))];
}

/**
 * Merges local problems with the main process's answer. Answers about a field that has changed since are left out, as
 * it may be fixed already.
 */
export function mergedProblems(
  here: readonly Problem[],
  answered: readonly Problem[],
  changedSince: { has(field: string): boolean },
): readonly Problem[] {
  const named = ({ field, message }: Problem) => JSON.stringify([field, message]);
  const local = new Set(here.map(named));
  const fieldsHere = new Set(here.map(({ field }) => field));
  const others = answered.filter(
    (problem) =>
      !local.has(named(problem)) &&
      !(problem.field !== null && (changedSince.has(problem.field) || fieldsHere.has(problem.field))),
  );
  return [...here, ...others].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
}
