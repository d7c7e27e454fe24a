/** Aligns the reward model's scores with the written tokens, which another tokenizer may have made. Pure. */

/** A token of the reward model, and how natural the text is up to its end. */
export interface ScoredPiece {
  readonly text: string;
  readonly natural: number | null;
}

/**
 * @param scored the whole text in the reward model’s tokens, each with P(natural) of the text up to its end
 * @returns for each written token the last score before or at its end; null without one
 */
export function naturalAfter(
  prompt: string,
  written: readonly string[],
  scored: readonly ScoredPiece[],
): (number | null)[] {
  let scoredEnd = 0;
  let next = 0;
  let last: number | null = null;
  let end = prompt.length;
  return written.map((text) => {
    end += text.length;
    for (let piece = scored[next]; piece && scoredEnd + piece.text.length <= end; piece = scored[next]) {
      scoredEnd += piece.text.length;
      last = piece.natural ?? last;
      next++;
    }
    return last;
  });
}
