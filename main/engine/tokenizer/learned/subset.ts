/**
 * A part of a pretrained model's vocabulary as the tokens of a small writer, so that the pretrained model can be its critic
 * position by position (docs/method.md): the pieces that a text uses most, with all that they are merged from, and each
 * byte. A text is cut with the merges that are left, in their order, so most words are cut as the pretrained model has
 * learned them. Pure.
 */

/** A byte-level byte-pair encoding. */
export interface Pieces {
  /** By id; null where there is none. */
  readonly tokens: readonly (string | null)[];
  /** In the order in which they are taken. */
  readonly merges: readonly (readonly [left: string, right: string])[];
}

interface Subset extends Pieces {
  readonly tokens: readonly string[];
  /** Of each token, its id in the whole vocabulary. */
  readonly wholeIds: readonly number[];
}

/** What occurs less often than this is not worth a token. */
const LEAST = 4;

/**
 * @param counts how often the text has each id of the whole vocabulary
 * @param size at most so many tokens
 * @param always tokens that are kept whatever the text
 * @throws RangeError where the bytes alone are more than that
 */
export function subsetOf(
  whole: Pieces,
  counts: ReadonlyMap<number, number>,
  size: number,
  always: readonly string[] = [],
): Subset {
  const bytes = whole.tokens.filter((token) => token !== null && [...token].length === 1);
  const kept = new Set<string | null>([...always, ...bytes]);
  if (kept.size > size) throw new RangeError(`${String(size)} tokens have no room for all ${String(kept.size)} bytes`);
  const parts = new Map<string, readonly [string, string]>();
  for (const merge of whole.merges) {
    const made = merge.join('');
    if (!parts.has(made)) parts.set(made, merge);
  }
  /** What has to be there for a token, itself last; null for one that no merge makes. */
  const needs = (token: string): readonly string[] | null => {
    if (kept.has(token)) return [];
    const [left, right] = (parts.get(token) ?? []).map(needs);
    return left && right ? [...left, ...right, token] : null;
  };
  const often = [...counts].filter(([, count]) => count >= LEAST).sort(([a, x], [b, y]) => y - x || a - b);
  for (const [id] of often) {
    const token = whole.tokens[id] ?? null;
    const more = new Set(token === null ? null : needs(token));
    if (kept.size + more.size <= size) for (const one of more) kept.add(one);
  }
  const wholeIds = whole.tokens.flatMap((token, id) => (token !== null && kept.has(token) ? [id] : []));
  return {
    tokens: wholeIds.map((id) => whole.tokens[id] ?? ''),
    merges: whole.merges.filter((merge) => [...merge, merge.join('')].every((token) => kept.has(token))),
    wholeIds,
  };
}
