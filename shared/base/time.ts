/** Times and durations as people read them, in the person's language. Pure: the present moment is passed in. */
import { dateFormatter, numberFormatter, relativeFormatter, type Locale } from './formatters.js';
import { NOTHING } from './numbers.js';

const unit = (value: number, name: 'second' | 'minute' | 'hour' | 'day', locale: Locale): string =>
  numberFormatter(locale, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 0 }).format(value);

/** Seconds in the two largest units that matter: "45 sec", "3 min 20 sec", "2 hr 5 min", "3 days". */
export function formatDuration(seconds: number | null | undefined, locale?: Locale): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NOTHING;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return unit(whole, 'second', locale);
  if (whole < 600) return both(Math.floor(whole / 60), 'minute', whole % 60, 'second', locale);
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return unit(minutes, 'minute', locale);
  if (minutes < 48 * 60) return both(Math.floor(minutes / 60), 'hour', minutes % 60, 'minute', locale);
  const hours = Math.round(whole / 3600);
  return both(Math.floor(hours / 24), 'day', hours % 24, 'hour', locale);
}

/** Below so many seconds, in steps of so many. */
const STEPS = [
  [20, 1],
  [60, 5],
  [600, 10],
  [7200, 60],
  [48 * 3600, 600],
] as const;

/**
 * Estimated seconds, rounded to what an estimate can know: a twentieth of it or so, in steps that read well. None is finer than
 * what is shown of it (`formatDuration`), so that parts add up as they are read.
 */
export function aboutSeconds(seconds: number): number {
  const step = STEPS.find(([below]) => seconds < below)?.[1] ?? 3600;
  return Math.round(seconds / step) * step;
}

/**
 * Estimates of the parts of something, each as often as it is done, and of the whole, which is what the parts as shown come
 * to: 4 s and 5 s are 9 s, whatever they were before they were rounded. Null where a part is not known.
 */
export function aboutParts(parts: readonly { readonly seconds: number | null; readonly times: number }[]) {
  const shown = parts.map(({ seconds }) => (seconds === null ? null : aboutSeconds(seconds)));
  const known = shown.flatMap((seconds, at) => (seconds === null ? [] : [seconds * (parts[at]?.times ?? 0)]));
  return { parts: shown, total: known.length < parts.length ? null : known.reduce((sum, each) => sum + each, 0) };
}

const both = (
  a: number,
  large: 'minute' | 'hour' | 'day',
  b: number,
  small: 'second' | 'minute' | 'hour',
  locale: Locale,
): string => (b === 0 ? unit(a, large, locale) : `${unit(a, large, locale)} ${unit(b, small, locale)}`);

/** "3 minutes ago", "yesterday"; what is older than a month is a date. */
export function formatAgo(iso: string, now: number, locale?: Locale): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return NOTHING;
  const seconds = Math.round((at - now) / 1000);
  const relative = relativeFormatter(locale, { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < 60) return relative.format(0, 'second');
  if (size < 3600) return relative.format(Math.trunc(seconds / 60), 'minute');
  if (size < 86_400) return relative.format(Math.trunc(seconds / 3600), 'hour');
  if (size < 30 * 86_400) return relative.format(Math.trunc(seconds / 86_400), 'day');
  return dateFormatter(locale, { dateStyle: 'medium' }).format(at);
}

/** A date with its time, for titles and tables. */
export function formatMoment(iso: string, locale?: Locale): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return NOTHING;
  return dateFormatter(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
