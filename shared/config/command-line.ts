/** A command as a person would type it: what the terminal suggests and what the window shows of a draft. Pure. */
import { typedValue } from './fields.js';

/** How the program is called in a checkout; a shell must be able to run what is printed. */
export const program = 'npm run -s verisim --';

/** @param values settings by name; `true` is a flag alone */
export function commandLine(command: string, values: Readonly<Record<string, unknown>>): string {
  const flags = Object.entries(values).map(([key, value]) => {
    if (value === true) return `--${key}`;
    const text = shellWord(typedValue(value));
    return text.startsWith('--') ? `--${key}=${text}` : `--${key} ${text}`;
  });
  return [program, command, ...flags].join(' ');
}

/** As a shell takes it for one word. */
export const shellWord = (text: string): string =>
  /^[\w./:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
