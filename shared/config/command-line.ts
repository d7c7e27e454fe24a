/** A command as a person would type it: what the terminal suggests and what the window shows of a draft. Pure. */
import { typedValue } from './fields.js';

/** How the program is called in a checkout; a shell must be able to run what is printed. */
export const program = 'npm run -s verisim --';

/** @param values settings by name; `true` is a flag alone */
export function commandLine(command: string, values: Readonly<Record<string, unknown>>): string {
  const flags = Object.entries(values).map(([key, value]) => {
    if (value === true) return `--${key}`;
    const text = typedValue(value);
    return `--${key}${text.startsWith('--') ? '=' : ' '}${shellWord(text)}`;
  });
  return [program, command, ...flags].join(' ');
}

/** As a shell takes it for one word; a path of Windows as each of its shells does. */
export function shellWord(text: string): string {
  if (/^[\w./:,@%+-]+$/.test(text)) return text;
  return text.includes('\\') && !/["$`!\n]|\\\\|\\$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
