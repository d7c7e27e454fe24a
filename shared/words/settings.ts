/**
 * What a project's settings and their values are called, in a language: English stands with the schemas (shared/config),
 * other languages beside it here. Flags, files and the report's JSON have the keys and the values themselves.
 */
import { describeField, type Field } from '../config/fields.js';
import { explained, helpInWords, projectShape, type Choices } from '../config/index.js';

type ProjectShape = typeof projectShape;
type SettingName = keyof ProjectShape;

/** What a form says of each setting of a project. */
export type SettingWords = {
  readonly [Name in SettingName]: { readonly label: string; readonly help: string } & Choices<ProjectShape[Name]>;
};

/** Of values that have no name of their own. */
export interface ValueWords {
  readonly none: string;
  readonly on: string;
  readonly off: string;
}

export const valueWords: ValueWords = { none: 'none', on: 'on', off: 'off' };

export const isSetting = (key: string): key is SettingName => key in projectShape;

/** How a form shows a setting. @param words null: those of the schemas */
export function fieldIn(key: SettingName, words: SettingWords | null, quote: (text: string) => string): Field {
  const field: Field = { ...describeField(key, projectShape[key]), ...words?.[key] };
  const { help } = saidOf(key, words);
  const called = (value: string, other = key as string) => choiceIn(other, value, words) ?? value;
  return {
    ...field,
    help: helpInWords(help, (value, other) =>
      quote(other === undefined ? called(value) : `${settingLabelIn(other, words)}: ${called(value, other)}`),
    ),
  };
}

/** What a value of a choice is called. */
function choiceIn(key: string, value: string, words: SettingWords | null): string | undefined {
  return isSetting(key) ? saidOf(key, words).choices?.[value] : undefined;
}

/** What is said of a setting, without reading its schema for what it accepts. */
function saidOf(
  key: SettingName,
  words: SettingWords | null,
): Pick<Field, 'label' | 'help'> & Partial<Pick<Field, 'choices'>> {
  return words?.[key] ?? explained(key, projectShape[key]);
}

/** What a form calls a setting; of what is none, its key. */
export const settingLabelIn = (key: string, words: SettingWords | null): string =>
  isSetting(key) ? saidOf(key, words).label : key;

/** A value as it is read beside the setting's name. @param write a number or a text */
export function settingValueIn(
  key: string,
  value: unknown,
  words: SettingWords | null,
  { none, on, off, write }: ValueWords & { write(value: unknown): string },
): string {
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return value ? on : off;
  return (typeof value === 'string' ? choiceIn(key, value, words) : undefined) ?? write(value);
}
