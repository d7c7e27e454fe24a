/** A cell of CSV (RFC 4180). */

/**
 * Text that a spreadsheet would take for a formula is led by an apostrophe: names come from other people's files
 * (OWASP, "CSV injection").
 */
export function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
