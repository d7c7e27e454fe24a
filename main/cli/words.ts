/** Numbers, durations and paragraphs as people read them. Pure text, no terminal. */
import { t } from './language.js';

/** Columns of a paragraph in a report. */
export const WIDTH = 92;

/** 1234567 as 1,234,567. */
export const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** About `digits` significant digits, without exponents for everyday sizes; "-" for what is not a number. */
export function compact(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1);
  if (size >= 10 ** digits) return grouped(value);
  return String(Number(value.toPrecision(digits)));
}

/** With a fixed number of decimals; "-" for what is not a number. */
export const fixed = (value: unknown, decimals: number): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toFixed(decimals) : '-';

/** A share of one as a percentage; "-" for what is not a number. */
export const percent = (share: unknown, decimals = 0): string =>
  typeof share === 'number' && Number.isFinite(share) ? `${(100 * share).toFixed(decimals)}%` : '-';

/** 75 as "1:15", 3700 as "1 h 02 min". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** Breaks a paragraph into lines of at most `width` columns; a longer word stands alone. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(indent + line);
  return lines.join('\n');
}

/** Columns aligned; numbers to the right. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd();
  const [heading, ...body] = rows;
  if (!heading) return '';
  const rule = widths.map((width) => '─'.repeat(width)).join('   ');
  return [line(heading), rule, ...body.map(line)].join('\n');
}

/** What cannot be seen, shown: new lines as ⏎, other control characters as a dot. A passage becomes one line. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\r?\n/g, '⏎').replace(/[\u0000-\u001f\u007f-\u009f]/g, '·');
}

/** A held-out loss in the units that models of different tokenizers are compared by; empty where these are not known. */
export const perText = (results: Readonly<Record<string, unknown>>, suffix = ''): string => {
  const nats = results[`nats_per_character${suffix}`];
  return typeof nats === 'number'
    ? t('terminal.per_text', { nats: fixed(nats, 4), bits: fixed(results[`bits_per_byte${suffix}`], 4) })
    : '';
};
