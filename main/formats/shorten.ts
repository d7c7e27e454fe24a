/** Limits text from a file in a message. */
export const shorten = (text: string, most = 80): string => (text.length <= most ? text : `${text.slice(0, most)}…`);

/** The same in quotes, with escapes for invisible characters; escapes count, as they take up to six times the space. */
export function quoted(text: string, most = 80): string {
  const written = JSON.stringify(text.slice(0, most));
  return text.length <= most && written.length <= most + 2
    ? written
    : `${written.slice(0, most + 1).replace(/"$/, '')}…"`;
}
