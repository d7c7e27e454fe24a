/**
 * How a text is cut into the pieces within which tokens are merged: a pattern, and what becomes of what it matches. (The
 * behaviours are those of `SplitDelimiterBehavior` in the Rust crate `tokenizers`.)
 */
export interface Split {
  /** Matches everywhere (`g`) and whole characters (`u`). */
  readonly pattern: RegExp;
  readonly behavior: 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';
  /** What lies between the matches is taken for the matches. */
  readonly invert: boolean;
}

/** Cuts each part of a text further. */
export type Cut = (parts: readonly string[]) => readonly string[];

export const cutBy =
  (split: Split): Cut =>
  (parts) =>
    parts.flatMap((part) => splitText(part, split));

/** The pieces of a text, none of them empty. */
export function splitText(text: string, split: Split): readonly string[] {
  if (split.behavior === 'Isolated') {
    // The usual pattern matches everything, so that its matches are the pieces.
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
  switch (behavior) {
    case 'Isolated':
      return parts.map(({ text }) => text);
    case 'Removed':
      return parts.filter(({ isMatch }) => !isMatch).map(({ text }) => text);
    case 'Contiguous':
      return merged(parts, (part, previous) => part.isMatch === previous.isMatch);
    case 'MergedWithPrevious':
      return merged(parts, (part, previous) => part.isMatch && !previous.isMatch);
    case 'MergedWithNext':
      return merged(parts, (part, previous) => previous.isMatch && !part.isMatch);
  }
}

/** Each part to the one before it where `belongs` says so. */
function merged(parts: readonly Part[], belongs: (part: Part, previous: Part) => boolean): string[] {
  const pieces: string[] = [];
  parts.forEach((part, i) => {
    const previous = parts[i - 1];
    if (previous !== undefined && belongs(part, previous)) pieces.push(`${pieces.pop() ?? ''}${part.text}`);
    else pieces.push(part.text);
  });
  return pieces;
}
