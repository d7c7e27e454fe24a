/**
 * Sentences of the main process and of shared/config in the window's words (the terminal's are `typed` of
 * shared/sentence.ts): a setting is called by its field, and what is wrong with a file is said of the field it was chosen
 * for, since what is to be done is done with the mouse. Pure.
 */
import type { Problem } from '../../shared/config/checks.js';
import { parameterInfo, projectShape } from '../../shared/config/index.js';
import { worded, type Sentence } from '../../shared/sentence.js';
import { windowLocale } from '../format/window-locale.js';
import { formatCount, formatSetting } from '../../shared/base/numbers.js';
import { isSetting } from '../../shared/config/setting-texts.js';
import { strings } from '../strings/index.js';
import { t } from '../messages/index.js';
import { settingLabel, settingValue } from '../messages/settings.js';

interface Words {
  readonly message: string;
  readonly hint: string;
}

/**
 * A setting is called by the label of its field, with the name of what is chosen of it: “Width”, “Loss: Per completion”; what only
 * a terminal has keeps its flag. Numbers are written as the person's language writes them.
 */
export const windowWords = (sentence: Sentence): string =>
  worded(strings.told(sentence), {
    name: (key, isOption, value) =>
      isSetting(key)
        ? strings.app.quote(
            [settingLabel(key), ...(value === undefined ? [] : [settingValue(key, value, String)])].join(': '),
          )
        : `${isOption ? '--' : ''}${key}${value === undefined ? '' : ` ${value}`}`,
    number: (value) =>
      Number.isInteger(value) && Math.abs(value) >= 1000 && Math.abs(value) < 1e15
        ? formatCount(value, windowLocale.value)
        : formatSetting(value, windowLocale.value),
    count: (value) => formatCount(value, windowLocale.value),
    message: t,
  });

/** What a person reads of a problem: of a file by its name and place, where the terminal says its path. */
export function wordsOf({ field, trouble, message, hint }: Omit<Problem, 'severity' | 'code' | 'fix'>): Words {
  return trouble !== undefined && field !== null && isSetting(field)
    ? {
        message: t(`wizard.files.${trouble}.message`, { name: settingLabel(field) }),
        hint: t(`wizard.files.${trouble}.hint`),
      }
    : { message: windowWords(message), hint: windowWords(hint) };
}

/** What the button that mends a problem will set, so that nobody presses it blindly; empty where there is none. */
export function fixWords({ field, fix }: Pick<Problem, 'field' | 'fix'>): string {
  const shown = (key: string, value: unknown): string => {
    const isFile = isSetting(key) && parameterInfo(projectShape[key]).path !== undefined;
    if (isFile) return t('wizard.review.fix.file');
    return settingValue(key, value, (one) => formatSetting(one, windowLocale.value));
  };
  const named = (key: string, what: string) =>
    t('wizard.review.fix.sets', { field: key === field ? null : strings.app.quote(settingLabel(key)), value: what });
  return [
    ...Object.entries(fix?.set ?? {}).map(([key, value]) => named(key, shown(key, value))),
    ...(fix?.unset ?? []).map((key) => named(key, t('wizard.review.fix.standard'))),
  ].join(', ');
}
