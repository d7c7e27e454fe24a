/** Formatters of a language, each made once: making one is slow, using one is not. */

/** Undefined: the system's. */
export type Locale = string | undefined;

/** The same options and language give the same formatter. */
function kept<F, O extends object>(make: (locale: Locale, options: O) => F): (locale: Locale, options: O) => F {
  const made = new Map<string, F>();
  return (locale, options) => {
    const key = `${locale ?? ''}|${JSON.stringify(options)}`;
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
}

export const numberFormatter = kept((locale, options: Intl.NumberFormatOptions) =>
  asWritten(new Intl.NumberFormat(locale, options)),
);

/**
 * English suffixes of large numbers; British formatting would give 1.2k, 134.5m, 2.3bn and 4tn, which suggest metres
 * and tons.
 */
const largeInEnglish: Readonly<Record<string, string>> = { k: 'K', m: 'M', bn: 'B', tn: 'T' };

/** A minus is a minus, not a hyphen; a million has one sign in all of English. */
function asWritten(formatter: Intl.NumberFormat): Pick<Intl.NumberFormat, 'format' | 'formatToParts'> {
  const { locale, notation } = formatter.resolvedOptions();
  const isEnglish = locale.startsWith('en');
  const part = ({ type, value }: Intl.NumberFormatPart): string => {
    if (type === 'minusSign') return value.replace('-', '−');
    return type === 'compact' && isEnglish ? (largeInEnglish[value] ?? value) : value;
  };
  const formatToParts = (value: number) => formatter.formatToParts(value).map((one) => ({ ...one, value: part(one) }));
  return {
    formatToParts,
    // Most are neither, and taking a number apart takes longer than writing it.
    format: (value: number) =>
      value > 0 && notation !== 'compact'
        ? formatter.format(value)
        : formatToParts(value)
            .map((one) => one.value)
            .join(''),
  };
}
export const dateFormatter = kept(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
export const relativeFormatter = kept(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
