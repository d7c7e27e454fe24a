/** Settings, phases and terms in the user's language. */
import { describeField, type Field } from '../../shared/config/fields.js';
import { projectShape } from '../../shared/config/index.js';
import { choiceNameIn, settingLabelIn, settingValueIn, type SettingName } from '../../shared/config/setting-texts.js';
import type { MessageCode } from '../../shared/messages/message.js';
import { chartsOf, phases, type ChartSettings, type PhaseName, type WholeChart } from '../../shared/phases/index.js';
import { t } from './index.js';

export const fieldOf = (key: SettingName): Field => describeField(key, projectShape[key]);

export const settingLabel = (key: string): string => settingLabelIn(key, t);

/** Returns a value as it is read. @param write formats a number or a text for the user's locale */
export const settingValue = (key: string, value: unknown, write: (value: unknown) => string): string =>
  settingValueIn(key, value, t, write);

export const choiceName = (key: SettingName, value: string): string => choiceNameIn(key, value, t) ?? value;

/** The name of every value of a choice. */
export const choiceNames = (key: SettingName): Readonly<Record<string, string>> =>
  Object.fromEntries(fieldOf(key).options.map((value) => [value, choiceName(key, value)]));

/** The items of a select: the name of each choice and, below it, the value of flags and files. */
export const choicesOf = ({ key, kind, options }: Field) =>
  kind === 'boolean'
    ? [
        { value: 'true', label: t('value.on') },
        { value: 'false', label: t('value.off') },
      ]
    : options.map((value) => ({ value, label: choiceNameIn(key, value, t) ?? value, description: value }));

export const phaseWords = (phase: PhaseName): { readonly label: string; readonly help: string } => ({
  label: t(phases[phase].label),
  help: t(phases[phase].help),
});

export function chartsInWords(phase: PhaseName, settings: ChartSettings) {
  const { open, others } = chartsOf(phases[phase], settings);
  return { open: open.map(inWords), others: others.map(inWords) };
}

const inWords = ({ title, note, lines, ...chart }: WholeChart<MessageCode>): WholeChart => ({
  ...chart,
  title: t(title),
  ...(note === undefined ? {} : { note: t(note) }),
  lines: lines.map((line) => ({ ...line, label: t(line.label) })),
});

export type TermName = MessageCode extends infer Code
  ? Code extends `glossary.${infer Term}.word`
    ? Term
    : never
  : never;
