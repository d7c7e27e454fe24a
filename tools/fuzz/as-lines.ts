/** How texts become one, written apart from the product's way: for readers that are compared with it. */

/** One text, each beginning a new line; those with nothing in them are left out. */
export function asLines(texts: readonly string[]): string {
  const lines = texts.map((text) => text.replace(/\r\n?/g, '\n')).filter((text) => text !== '');
  return lines.map((text, i) => (i === lines.length - 1 || text.endsWith('\n') ? text : `${text}\n`)).join('');
}
