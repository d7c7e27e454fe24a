/** Tokens as they are shown: what cannot be seen gets a sign. Pure. */

const signs: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '␍' };

/** A token with every space and control character visible. */
export const visibleToken = (text: string): string =>
  text === '' ? '∅' : text.replaceAll(/[ \n\t\r]/g, (character) => signs[character] ?? character);

/** A token as it reads within a text: only a lone line end is shown. */
export const readableToken = (text: string): string => (text === '\n' ? '↵\n' : text);

/** In place of a token that continues a character: the first of its tokens shows it. */
export const CONTINUED = '·';
