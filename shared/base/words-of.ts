/** A text as words, for people to point at and to see what changed. */

/**
 * Splits text into words, each with the whitespace after it; leading whitespace belongs to the first. Joined, they are
 * the text.
 */
export const wordsOf = (text: string): readonly string[] => text.match(/^\s+$|^\s*\S+\s*|\S+\s*/gu) ?? [];

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
