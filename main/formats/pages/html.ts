/** Writes HTML and SVG in which no inserted text can become markup. */

export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | readonly Markup[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? '');

const written = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(({ text }) => text).join('') : escaped(String(part));
};

/** html`<p>${text}</p>`: each ${} is text, unless it is markup itself. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(texts.map((text, at) => text + (at < parts.length ? written(parts[at] ?? '') : '')).join(''));
