/** Cuts a text into pieces by a pattern, with the behaviours of `SplitDelimiterBehavior` in the Rust crate `tokenizers`. */
export interface Split {
  /** Matches everywhere (`g`) and whole characters (`u`). */
  readonly pattern: RegExp;
  readonly behavior: 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';
  /** The text between matches counts as the matches. */
  readonly invert: boolean;
}

/** Cuts each part of a text further. */
export type Cut = (parts: readonly string[]) => readonly string[];

export const cutBy =
  (split: Split): Cut =>
  (parts) =>
    parts.flatMap((part) => splitText(part, split));

/** Returns the pieces of a text, none of them empty. */
export function splitText(text: string, split: Split): readonly string[] {
  if (split.behavior === 'Isolated') {
    // The usual pattern matches everything, so its matches are the pieces.
    const found: readonly string[] = text.match(split.pattern) ?? [];
    let length = 0;
    for (const piece of found) length += piece.length;
    if (length === text.length && !found.includes('')) return found;
  }
  return joined(alternating(text, split), split.behavior);
}

interface Part {
  text: string;
  readonly isMatch: boolean;
}

function alternating(text: string, { pattern, invert }: Split): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > done) parts.push({ text: text.slice(done, match.index), isMatch: invert });
    if (match[0] !== '') parts.push({ text: match[0], isMatch: !invert });
    done = match.index + match[0].length;
  }
  if (done < text.length) parts.push({ text: text.slice(done), isMatch: invert });
  return parts;
}

function joined(parts: readonly Part[], behavior: Split['behavior']): string[] {
  if (behavior === 'Removed') return parts.filter(({ isMatch }) => !isMatch).map(({ text }) => text);
  const pieces: string[] = [];
  parts.forEach(({ text, isMatch }, i) => {
    const previous = parts[i - 1];
    const isJoined =
      previous !== undefined &&
      ((behavior === 'Contiguous' && isMatch === previous.isMatch) ||
        (behavior === 'MergedWithPrevious' && isMatch && !previous.isMatch) ||
        (behavior === 'MergedWithNext' && previous.isMatch && !isMatch));
    if (isJoined) pieces.push(`${pieces.pop() ?? ''}${text}`);
    else pieces.push(text);
  });
  return pieces;
}
