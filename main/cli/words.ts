/** Formats numbers, durations, tables and paragraphs for the terminal. */
import { numberFormatter } from '../../shared/base/formatters.js';
import { finite, formatCount, formatFixed, formatShare, NOTHING } from '../../shared/base/numbers.js';
import { program, shellWord } from '../../shared/config/command-line.js';
import type { Message } from '../../shared/messages/message.js';
import { sampleMessage } from '../../shared/reports/outcome.js';
import type { HeldOutSample } from '../../shared/reports/report.js';
import { locale, t } from './language.js';

/** Columns of a paragraph in a report. */
export const WIDTH = 92;

/** A command that a shell runs as it is printed, with arguments of any characters. */
export const commandText = (...words: readonly string[]): string => [program, ...words.map(shellWord)].join(' ');

const numeric = (value: unknown): number | null => (typeof value === 'number' ? finite(value) : null);

export const grouped = (value: unknown): string => formatCount(numeric(value), locale());

/** About `digits` significant digits, without exponents for everyday sizes. */
export function compact(given: unknown, digits = 3): string {
  const value = numeric(given);
  if (value === null) return NOTHING;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(digits - 1);
  return size >= 10 ** digits
    ? grouped(value)
    : numberFormatter(locale(), { maximumSignificantDigits: digits }).format(value);
}

export function fixed(given: unknown, decimals: number): string {
  const value = numeric(given);
  return value === null ? NOTHING : formatFixed(value, decimals, locale());
}

export const percent = (share: unknown, decimals = 0): string => formatShare(numeric(share), locale(), decimals);

/** 75 as "1:15", 3700 as "1 h 02 min". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** Breaks a paragraph into lines of at most `width` columns, except for longer words; further lines are indented. */
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

/** Lines of aligned columns under a heading, all but the first to the right. @param heading its cells, separated by `|` */
export function table(heading: string, body: readonly (readonly string[])[]): readonly [heading: string, ...string[]] {
  const rows = [heading.split('|'), ...body];
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd();
  return [line(heading.split('|')), widths.map((width) => '─'.repeat(width)).join('   '), ...body.map(line)];
}

/** Shows a passage on one line: line breaks as ⏎, other control characters as a dot. */
export const oneLine = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/\r?\n/g, '⏎').replace(/[\u0000-\u001f\u007f-\u009f]/g, '·');

/** A held-out loss in units that do not depend on the tokenizer; null if they are unknown. */
export const perText = (results: Readonly<Record<string, unknown>>, suffix = ''): string | null => {
  const nats = results[`nats_per_character${suffix}`];
  return typeof nats === 'number'
    ? t('terminal.per_text', { nats: fixed(nats, 4), bits: fixed(results[`bits_per_byte${suffix}`], 4) })
    : null;
};

/** Names the part of the held-out text that a command measured; null if it measured all. */
export const sampleIn = ({ held_out_sample: sample }: Readonly<Record<string, unknown>>): Message | null =>
  sample ? sampleMessage(sample as HeldOutSample) : null;
