/** Several values of a setting to try one after the other: which settings, and the values as they are typed. Pure. */
import type { SweepAxis } from '../../shared/contract/drafts.js';
import type { Field } from '../../shared/config/fields.js';
import { fieldOf } from '../strings/parameters.js';
import { isSetting } from '../../shared/words/settings.js';
import { decidedByModel, stepGroups } from './steps.js';

type Value = SweepAxis['values'][number];

/** A setting and what stands in its field; of choices those that are marked. */
export interface SweepRow {
  key: string;
  typed: string;
  marked: string[];
}

/** What a project can be told in a few signs: no files, and nothing that a model to begin from decides. */
export function sweepableSettings(hasInitialModel: boolean): readonly Field[] {
  const decided = ['input_mode', ...(hasInitialModel ? decidedByModel : [])];
  return Object.values(stepGroups)
    .flatMap((groups) => groups.flatMap(({ fields }) => fields))
    .flatMap((key) => (isSetting(key) && !decided.includes(key) ? [fieldOf(key)] : []))
    .filter(({ kind }) => kind !== 'list' && kind !== 'text')
    .sort((one, other) => one.label.localeCompare(other.label));
}

export const isMarked = ({ kind }: Field): boolean => kind === 'choice' || kind === 'boolean';

/**
 * The values of a row, each once. What is no number stays as it was typed: the check says so then, with the setting's name.
 * @param parse a number as this person writes it; null for nothing
 */
export function sweepValues(
  field: Field,
  { typed, marked }: SweepRow,
  parse: (text: string) => number | string | null,
): readonly Value[] {
  if (isMarked(field)) return marked.map((one) => (field.kind === 'boolean' ? one === 'true' : one));
  const values = typed
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): Value => (field.nullable && /^none$/i.test(part) ? null : parse(part)));
  return [...new Set(values)];
}
