/** Words from a file in a message for a person: as much of them as is any use. */
export const shortened = (text: string, most = 80): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
