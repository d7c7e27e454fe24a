/** How the surfaces name settings and write numbers: flags and values as typed in a terminal, labels elsewhere. */
import type { Locale } from '../base/formatters.js';
import { formatCount, formatSetting } from '../base/numbers.js';
import { formatDuration } from '../base/time.js';
import { hasCode, textOf, timeLocaleOf, type Language } from './catalogue.js';
import { createFormat, type Surface } from './formatter.js';

export const terminalSurface = (language: Language): Surface => {
  const withValue = (name: string, value: string | undefined) => (value === undefined ? name : `${name} ${value}`);
  return {
    name: 'terminal',
    language,
    locale: language === 'en' ? 'en-US' : language,
    setting: withValue,
    option: (key, value) => withValue(`--${key}`, value),
    choice: (_key, value) => value,
    number: String,
    duration: (seconds) => formatDuration(seconds, language),
  };
};

/** Names settings by the labels of their fields, in quotation marks; what only a terminal has keeps its flag. */
export function labelSurface(name: 'window' | 'document', language: Language, locale: Locale): Surface {
  const known = (code: string): string | null => (hasCode(code) ? textOf(language, code) : null);
  const quote = (text: string) => textOf(language, 'text.quote').replace('{text}', () => text);
  const choice = (key: string, value: string) => known(`setting.${key}.choices.${value}`) ?? value;
  const setting = (key: string, value: string | undefined): string | null => {
    const label = known(`setting.${key}.label`);
    return label === null ? null : quote(value === undefined ? label : `${label}: ${choice(key, value)}`);
  };
  const flags = terminalSurface(language);
  return {
    name,
    language,
    locale,
    setting: (key, value) => setting(key, value) ?? flags.setting(key, value),
    option: (key, value) => setting(key, value) ?? flags.option(key, value),
    choice: (key, value) => quote(choice(key, value)),
    number: (value) =>
      Number.isInteger(value) && Math.abs(value) >= 1000 && Math.abs(value) < 1e15
        ? formatCount(value, locale)
        : formatSetting(value, locale),
    duration: (seconds) => formatDuration(seconds, timeLocaleOf(locale, language)),
  };
}

/** Formats messages in English for logs, errors and files that programs read. */
export const plainEnglish = createFormat(terminalSurface('en'));
