/** Colour and boldness, on terminals that want them. */
const paint = (code: string, on: boolean) => (text: string) =>
  on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

export const createStyle = (on: boolean) => ({
  bold: paint('1', on),
  dim: paint('2', on),
  good: paint('32', on),
  bad: paint('31', on),
  warn: paint('33', on),
  accent: paint('36', on),
  /** Emphasizes the labels of lines such as "Written: report.html". */
  label: (text: string) => text.replace(/^[^:\n]+:/gm, paint('1', on)),
  /** Emphasizes the first line. */
  title: (text: string) => text.replace(/^.+/, paint('1', on)),
});

export type Style = ReturnType<typeof createStyle>;

/** Follows no-color.org and FORCE_COLOR. */
export function wantsColour(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  if ((environment['FORCE_COLOR'] ?? '0') !== '0') return true;
  return stream.isTTY === true && environment['TERM'] !== 'dumb';
}
