/**
 * Selects the tokens of a pretrained model that a text uses most, with those that they are merged from and all bytes, so that the model
 * can score a small writer position by position (docs/method.md).
 */

/** A byte-level byte-pair encoding. */
export interface PairEncoding {
  /** By id; null for an id without a token. */
  readonly tokens: readonly (string | null)[];
  /** In order of application. */
  readonly merges: readonly (readonly [left: string, right: string])[];
}

interface Subset extends PairEncoding {
  readonly tokens: readonly string[];
  /** Ids in the whole vocabulary. */
  readonly wholeIds: readonly number[];
}

/** Rarer tokens are not selected. */
const MIN_COUNT = 4;

/**
 * @param counts occurrences of each id of the whole vocabulary in the text
 * @param size the most tokens of the result
 * @param always tokens that are selected whatever the text
 * @throws RangeError if the bytes alone are more than that
 */
export function subsetOf(
  whole: PairEncoding,
  counts: ReadonlyMap<number, number>,
  size: number,
  always: readonly string[] = [],
): Subset {
  const bytes = whole.tokens.filter((token) => token !== null && [...token].length === 1);
  const selected = new Set<string | null>([...always, ...bytes]);
  if (selected.size > size)
    throw new RangeError(`${String(size)} tokens have no room for all ${String(selected.size)} bytes`);
  const parts = new Map<string, readonly [string, string]>();
  for (const merge of whole.merges) {
    const made = merge.join('');
    if (!parts.has(made)) parts.set(made, merge);
  }
  /** The missing tokens that a token is merged from, itself last; null if no merge makes it. */
  const needs = (token: string): readonly string[] | null => {
    if (selected.has(token)) return [];
    const [left, right] = (parts.get(token) ?? []).map(needs);
    return left && right ? [...left, ...right, token] : null;
  };
  const often = [...counts].filter(([, count]) => count >= MIN_COUNT).sort(([a, x], [b, y]) => y - x || a - b);
  for (const [id] of often) {
    const token = whole.tokens[id] ?? null;
    const more = new Set(token === null ? null : needs(token));
    if (selected.size + more.size <= size) for (const one of more) selected.add(one);
  }
  const wholeIds = whole.tokens.flatMap((token, id) => (token !== null && selected.has(token) ? [id] : []));
  return {
    tokens: wholeIds.map((id) => whole.tokens[id] ?? ''),
    merges: whole.merges.filter((merge) => [...merge, merge.join('')].every((token) => selected.has(token))),
    wholeIds,
  };
}
