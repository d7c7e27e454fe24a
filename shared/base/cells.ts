/** A cell of CSV (RFC 4180), for every table that is written: reports and ratings on disk, a chart's values in the window. */

/**
 * Text that a spreadsheet would take for a formula is led by an apostrophe: names come from other people's files
 * (OWASP, "CSV injection"). Numbers are given as numbers: a minus before one is no formula.
 */
export function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
