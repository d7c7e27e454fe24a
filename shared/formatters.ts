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

export const numberFormatter = kept(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
export const dateFormatter = kept(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
export const relativeFormatter = kept(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
