/**
 * Problems are worded for the terminal as well, with flags and paths. In the window a setting is called by the name of
 * its field, a file by its own name, and what is to be done is done with the mouse. Pure.
 */
import type { Problem } from '../../shared/config/checks.js';
import { describeField } from '../../shared/config/fields.js';
import { projectShape } from '../../shared/config/index.js';
import { formatSetting } from '../format/numbers.js';
import { strings } from '../strings/index.js';
import { isSetting, settingLabel } from './steps.js';

export interface Words {
  readonly message: string;
  readonly hint: string;
}

/** Names that are no words of English: n_embd and train_split, but not seed or device. */
const coined = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;
const paths = /(?<=^|[\s"'“(])(?:\/|[A-Za-z]:[\\/])[^\s"'”]*[\\/]([^\s"'”\\/]+)/g;

/** "Use --n_embd 130" becomes "Use “Width” 130"; "/home/me/play.txt" becomes "play.txt". */
export function windowWords(text: string): string {
  const labelled = (whole: string, key: string) => (isSetting(key) ? `“${settingLabel(key)}”` : whole);
  return (
    text
      .replaceAll(paths, (_path, name: string) => name)
      .replaceAll(/--([a-z][\w]*)/g, labelled)
      .replaceAll(coined, (word) => labelled(word, word))
      // A sentence that begins with a setting begins with its name.
      .replace(/^[a-z]\w*(?= )/, (word) => labelled(word, word))
  );
}

/** What a person reads of a problem: of a file by its name and place, where the terminal says its path. */
export function wordsOf({ field, trouble, message, hint }: Omit<Problem, 'severity' | 'code' | 'fix'>): Words {
  return trouble !== undefined && field !== null && isSetting(field)
    ? strings.wizard.files[trouble](settingLabel(field))
    : { message: windowWords(message), hint: windowWords(hint) };
}

/** What the button that mends a problem will set, so that nobody presses it blindly; empty where there is none. */
export function fixWords({ field, fix }: Pick<Problem, 'field' | 'fix'>): string {
  const words = strings.wizard.review.fix;
  const shown = (key: string, value: unknown): string => {
    const isFile = isSetting(key) && describeField(key, projectShape[key]).path !== null;
    if (isFile) return words.file;
    if (typeof value === 'boolean') return value ? strings.wizard.field.on : strings.wizard.field.off;
    return value === null ? strings.wizard.field.none : formatSetting(value);
  };
  const named = (key: string, what: string) =>
    words.sets(key === field ? null : `“${isSetting(key) ? settingLabel(key) : key}”`, what);
  return [
    ...Object.entries(fix?.set ?? {}).map(([key, value]) => named(key, shown(key, value))),
    ...(fix?.unset ?? []).map((key) => named(key, words.standard)),
  ].join(', ');
}
