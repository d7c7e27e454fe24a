/** Lays what the reward model said token by token over what a model wrote: the two need not cut the text alike. Pure. */

interface Piece {
  readonly text: string;
}

/**
 * @param scored the whole text in the reward model’s tokens, each with P(natural) of the text up to its end
 * @returns for each written token what the reward model said last before or at its end; null where it said nothing
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

/** In which of `levels` equal parts of [0, 1] a value lies. */
export const levelOf = (value: number, levels: number): number =>
  Math.min(levels - 1, Math.max(0, Math.floor(value * levels)));
