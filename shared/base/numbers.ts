/** Numbers as people read them, in the person's language: counts, measured values, shares, sizes. Pure. */
import { numberFormatter as formatter, type Locale } from './formatters.js';

/** Shown in place of a missing measurement. */
export const NOTHING = '–';

const usable = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value);

export const finite = (value: number | null | undefined): number | null => (usable(value) ? value : null);

/** A number of things: 12,345. */
export const formatCount = (value: number | null | undefined, locale?: Locale): string =>
  usable(value) ? formatter(locale, { maximumFractionDigits: 0 }).format(value) : NOTHING;

/** "1 character", "2,000 characters": for the sentences of the terminal and the log, which are English. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count, 'en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** A number of things in little room: 1.2M. */
export const formatCompact = (value: number | null | undefined, locale?: Locale): string =>
  usable(value) ? formatter(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value) : NOTHING;

/** A measured value with `digits` significant digits; very small and very large ones as 1.2e-5. */
export function formatMeasure(value: number | null | undefined, locale?: Locale, digits = 3): string {
  if (!usable(value)) return NOTHING;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    const exponent = Math.floor(Math.log10(size));
    const mantissa = formatter(locale, { maximumSignificantDigits: digits }).format(value / 10 ** exponent);
    return `${mantissa}e${exponent}`;
  }
  if (size >= 10 ** digits) return formatCount(value, locale);
  return formatter(locale, { minimumSignificantDigits: digits, maximumSignificantDigits: digits }).format(value);
}

/** With so many digits behind the decimal sign. */
export const formatFixed = (value: number, decimals: number, locale?: Locale): string =>
  formatter(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

/** Formats an axis label: as short as possible, yet different from its neighbours, however near they are. */
export function formatTick(value: number, locale?: Locale): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4) return formatMeasure(value, locale, 2);
  return formatter(locale, {
    maximumSignificantDigits: size >= 1e4 ? 4 : 7,
    notation: size >= 1e4 ? 'compact' : 'standard',
  }).format(value);
}

/** A share of one as a percentage: 0.123 is 12.3 %. */
export const formatShare = (value: number | null | undefined, locale?: Locale, decimals = 0): string =>
  usable(value)
    ? formatter(locale, {
        style: 'percent',
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
      }).format(value)
    : NOTHING;

/** Formats a share as an axis label, as short as possible. */
export const formatShareTick = (value: number, locale?: Locale): string =>
  formatter(locale, { style: 'percent', maximumFractionDigits: 1 }).format(value);

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes in units of 1,000, as disks are sold: 1.2 MB. */
export function formatBytes(value: number | null | undefined, locale?: Locale): string {
  if (!usable(value)) return NOTHING;
  const size = Math.abs(value);
  const power = size < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(size) / 3));
  const scaled = value / 1000 ** power;
  return formatter(locale, {
    style: 'unit',
    unit: sizes[power] ?? 'byte',
    // In short it would be "20 byte".
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 || Math.abs(scaled) >= 100 ? 0 : 1,
  }).format(scaled);
}

/**
 * A setting's value as one would type it: no grouping, 1e-5 rather than 0.00001, and 1e20 rather than all of its zeros; 0,5 where
 * that is how it is written.
 */
export function formatSetting(value: unknown, locale?: Locale): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  const size = Math.abs(value);
  const [plain, short] = [String(value), value.toExponential().replace('e+', 'e')];
  const written = (size !== 0 && size < 1e-3) || (size >= 1e9 && short.length < plain.length) ? short : plain;
  return written.replace('.', separatorsOf(locale).decimal === ',' ? ',' : '.');
}

/**
 * What a person typed into a number's field: what their language shows is read (65.536 in German), and so are 1e-4, 0.5 and
 * 10 000 in every language; nothing is null, and what is not a number comes back as the text, so that the schema can say
 * what is wrong with it.
 */
export function parseTyped(text: string, locale?: Locale): number | string | null {
  const { group, decimal, digits } = separatorsOf(locale);
  const latin = [...text.trim()]
    .map((sign) => (sign === '−' ? '-' : (digits.get(sign) ?? (sign === decimal && sign !== ',' ? '.' : sign))))
    .join('');
  const plain = latin.replace(/[\s\u00a0\u202f\u061c\u200e_’'٬]/g, '');
  if (plain === '') return null;
  const normal = withoutGroups(plain, group) ?? plain.replace(/^([-+]?\d*),(?=\d)/, '$1.');
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(normal) ? Number(normal) : text;
}

/** Whether what was typed is a whole number within bounds, ends included. */
export const isWholeWithin = (value: number | string | null, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** 1,234.5 and 1.234,5: a number in groups of digits as JavaScript writes it; null for one that is not in such groups. */
function withoutGroups(plain: string, group: string): string | null {
  switch (group) {
    case ',':
      return /^[-+]?[1-9]\d{0,2}(,\d{2,3})*,\d{3}(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : null;
    case '.':
      return /^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/.test(plain) ? plain.replaceAll('.', '').replace(',', '.') : null;
    default:
      return null;
  }
}

interface Separators {
  readonly group: string;
  readonly decimal: string;
  /** What a language writes for 0 to 9, where those are not these. */
  readonly digits: ReadonlyMap<string, string>;
}

function separatorsOf(locale: Locale): Separators {
  const parts = formatter(locale, {}).formatToParts(1_234_567.8);
  const [...written] = formatter(locale, { useGrouping: false }).format(9_876_543_210);
  return {
    group: parts.find(({ type }) => type === 'group')?.value ?? '',
    decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
    digits: new Map(written.map((digit, at) => [digit, String(9 - at)])),
  };
}
