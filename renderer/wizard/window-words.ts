/** Words problems and their fixes: a file's problem is one of its field, as the remedy is a click. */
import type { Problem } from '../../shared/config/checks.js';
import { parameterInfo, projectShape } from '../../shared/config/index.js';
import { formatSetting } from '../../shared/base/numbers.js';
import { isSetting } from '../../shared/config/setting-texts.js';
import { t, windowLocale } from '../messages/index.js';
import { settingLabel, settingValue } from '../messages/settings.js';

interface Words {
  readonly message: string;
  readonly hint: string;
}

/** Words a problem for the user: a file by its field, while the terminal shows its path. */
export function wordsOf({ field, trouble, message, hint }: Omit<Problem, 'severity' | 'code' | 'fix'>): Words {
  return trouble !== undefined && field !== null && isSetting(field)
    ? {
        message: t(`wizard.files.${trouble}.message`, { name: settingLabel(field) }),
        hint: t(`wizard.files.${trouble}.hint`),
      }
    : { message: t(message), hint: t(hint) };
}

/** Describes the value that a fix will set, shown next to its button; empty if there is none. */
export function fixWords({ field, fix }: Pick<Problem, 'field' | 'fix'>): string {
  const shown = (key: string, value: unknown): string => {
    const isFile = isSetting(key) && parameterInfo(projectShape[key]).path !== undefined;
    if (isFile) return t('wizard.review.fix.file');
    return settingValue(key, value, (one) => formatSetting(one, windowLocale.value));
  };
  const named = (key: string, what: string) =>
    t('wizard.review.fix.sets', {
      field: key === field ? null : t('text.quote', { text: settingLabel(key) }),
      value: what,
    });
  return [
    ...Object.entries(fix?.set ?? {}).map(([key, value]) => named(key, shown(key, value))),
    ...(fix?.unset ?? []).map((key) => named(key, t('wizard.review.fix.standard'))),
  ].join(', ');
}
