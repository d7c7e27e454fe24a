/** Colour and boldness, only where they are wanted: on a terminal, and not when NO_COLOR says no. */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  accent(text: string): string;
}

const paint = (code: string, on: boolean) => (text: string) =>
  on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

export function createStyle(on: boolean): Style {
  return {
    bold: paint('1', on),
    dim: paint('2', on),
    good: paint('32', on),
    bad: paint('31', on),
    warn: paint('33', on),
    accent: paint('36', on),
  };
}

/** As no-color.org and FORCE_COLOR have it. */
export function wantsColour(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  if ((environment['FORCE_COLOR'] ?? '0') !== '0') return true;
  return stream.isTTY === true && environment['TERM'] !== 'dumb';
}
