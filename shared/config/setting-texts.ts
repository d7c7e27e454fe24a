/** The labels of a project's settings and the names of their choices, as forms and reports show them; flags and files have the keys. */
import { hasCode } from '../messages/catalogue.js';
import type { Format } from '../messages/formatter.js';
import { projectShape } from './index.js';

export type SettingName = keyof typeof projectShape;

export const isSetting = (key: string): key is SettingName => key in projectShape;

/** Returns the label of a setting; the key of what is none. */
export const settingLabelIn = (key: string, format: Format): string =>
  isSetting(key) ? format(`setting.${key}.label`) : key;

/** Returns the name of a value of a choice, or undefined if it has none. */
export function choiceNameIn(key: string, value: string, format: Format): string | undefined {
  const code = `setting.${key}.choices.${value}`;
  return hasCode(code) ? format(code) : undefined;
}

/** Returns a value as it is read next to the setting's label. @param write formats a number or a text */
export function settingValueIn(key: string, value: unknown, format: Format, write: (value: unknown) => string): string {
  if (value === null || value === undefined || value === '') return format('value.none');
  if (typeof value === 'boolean') return format(value ? 'value.on' : 'value.off');
  return (typeof value === 'string' ? choiceNameIn(key, value, format) : undefined) ?? write(value);
}
