/** Settings from what was given: explicit values win over the preset, the preset over the schema's defaults. Pure. */
import { checkValues, type Checked, type Problem } from './checks.js';
import type { Shape } from './fields.js';
import { presets, valuesOf, type PresetName } from './presets.js';

const isPreset = (name: unknown): name is PresetName => typeof name === 'string' && Object.hasOwn(presets, name);

/**
 * The values of a preset that `shape` knows and that suit what is given; none for `none`, or where the shape takes no
 * preset.
 */
export function presetValues(
  shape: Shape,
  name: unknown,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  if (!isPreset(name)) return {};
  return Object.fromEntries(Object.entries(valuesOf(name, given)).filter(([key]) => key in shape));
}

/** Every setting of `shape`, checked one by one; what does not go together is for the problems of each command. */
export function resolveSettings(
  shape: Shape,
  given: Readonly<Record<string, unknown>>,
): Checked<Record<string, unknown>> {
  const preset = given['preset'] ?? shape['preset']?.safeParse(undefined).data;
  return checkValues(shape, { ...presetValues(shape, preset, given), ...given });
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Settings with every problem at once: known problems, values out of range, and what does not go together.
 * @param together looks at several settings, the given ones among them
 * @returns the settings in full; null while a value is out of range
 */
export function checkedSettings(
  shape: Shape,
  given: Values,
  checks: {
    readonly known?: readonly Problem[];
    readonly together: (config: Values, given: Values) => readonly Problem[];
  },
): { readonly config: Values | null; readonly problems: readonly Problem[] } {
  const before = checks.known ?? [];
  const checked = resolveSettings(shape, given);
  const outOfRange = checked.ok ? [] : checked.problems;
  const found = [...before, ...outOfRange.filter(notIn(before))];
  // What is out of range counts as not given for the checks that look at several settings together.
  const wrong = new Set(outOfRange.map(({ field }) => field));
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !wrong.has(key)));
  const config = checked.ok ? checked : resolveSettings(shape, rest);
  const together = config.ok ? checks.together(config.value, rest) : [];
  return { config: checked.ok ? checked.value : null, problems: [...found, ...together.filter(notIn(found))] };
}

/** A flag that could not be read is reported once, not again as missing. */
const notIn = (known: readonly Problem[]) => (problem: Problem) =>
  !known.some(({ field }) => field !== null && field === problem.field);
