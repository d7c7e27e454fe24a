/** Words from a file in a message for a person: as much of them as is any use. */
export const shorten = (text: string, most = 80): string => (text.length <= most ? text : `${text.slice(0, most)}…`);

/** The same in quotes, what cannot be seen written as an escape; that takes up to six times the space and is counted too. */
export function quoted(text: string, most = 80): string {
  const written = JSON.stringify(text.slice(0, most));
  return text.length <= most && written.length <= most + 2
    ? written
    : `${written.slice(0, most + 1).replace(/"$/, '')}…"`;
}
