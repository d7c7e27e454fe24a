/** Settings from what was given: explicit values win over the preset, the preset over the schema's defaults. Pure. */
import { checkValues, type Checked } from './checks.js';
import type { Shape } from './fields.js';
import { presets, type PresetName } from './presets.js';

const isPreset = (name: unknown): name is PresetName => typeof name === 'string' && Object.hasOwn(presets, name);

/** The values of a preset that `shape` knows; none for `none`, or where the shape takes no preset. */
export function presetValues(shape: Shape, name: unknown): Record<string, unknown> {
  if (!isPreset(name)) return {};
  return Object.fromEntries(Object.entries(presets[name].values).filter(([key]) => key in shape));
}

/** Every setting of `shape`, checked one by one; what does not go together is for the problems of each command. */
export function resolveSettings(
  shape: Shape,
  given: Readonly<Record<string, unknown>>,
): Checked<Record<string, unknown>> {
  const preset = given['preset'] ?? shape['preset']?.safeParse(undefined).data;
  return checkValues(shape, { ...presetValues(shape, preset), ...given });
}
