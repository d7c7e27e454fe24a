/** Aligns the reward model's scores with the generated tokens, which another tokenizer may have made. Pure. */

interface Piece {
  readonly text: string;
}

/**
 * @param scored the whole text in the reward model’s tokens, each with P(natural) of the text up to its end
 * @returns for each generated token the last score before or at its end; null without one
 */
export function naturalAfter(
  prompt: string,
  written: readonly Piece[],
  scored: readonly (Piece & { readonly natural: number | null })[],
): (number | null)[] {
  let scoredEnd = 0;
  let next = 0;
  let last: number | null = null;
  let end = prompt.length;
  return written.map(({ text }) => {
    end += text.length;
    for (let piece = scored[next]; piece && scoredEnd + piece.text.length <= end; piece = scored[next]) {
      scoredEnd += piece.text.length;
      last = piece.natural ?? last;
      next++;
    }
    return last;
  });
}

/** Returns which of `levels` equal parts of [0, 1] contains a value. */
export const levelOf = (value: number, levels: number): number =>
  Math.min(levels - 1, Math.max(0, Math.floor(value * levels)));
