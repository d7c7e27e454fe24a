/** A text as words, for people to point at and to see what changed. */

/** Words, each with what stands between it and the next; what stands before the first goes with it. Joined, they are the text. */
export const wordsOf = (text: string): readonly string[] => text.match(/^\s+$|^\s*\S+\s*|\S+\s*/gu) ?? [];
