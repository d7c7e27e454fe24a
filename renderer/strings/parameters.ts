/** Settings of a project as a form shows them, in the language that is spoken. */
import type { Field } from '../../shared/config/fields.js';
import type { projectShape } from '../../shared/config/index.js';
import { fieldIn, settingLabelIn, settingValueIn } from '../../shared/words/settings.js';
import { strings } from './index.js';

export const fieldOf = (key: keyof typeof projectShape): Field => fieldIn(key, strings.parameters, strings.app.quote);

/** What a form calls a setting. */
export const settingLabel = (key: string): string => settingLabelIn(key, strings.parameters);

/** A value as it is read. @param write a number or a text, as this person's language writes it */
export const settingValue = (key: string, value: unknown, write: (value: unknown) => string): string =>
  settingValueIn(key, value, strings.parameters, { ...strings.values, write });

/** What a value of a choice is called. */
export const choiceName = (key: keyof typeof projectShape, value: string): string =>
  fieldOf(key).choices[value] ?? value;

/** A choice as a list shows it: what each is called, and below it what flags and files have. */
export const choicesOf = ({ kind, options, choices }: Field) =>
  kind === 'boolean'
    ? [
        { value: 'true', label: strings.values.on },
        { value: 'false', label: strings.values.off },
      ]
    : options.map((value) => ({ value, label: choices[value] ?? value, description: value }));
