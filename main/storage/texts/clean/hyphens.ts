/** Decides which hyphens at line ends divide one word. */

const END = /([\p{L}\p{M}]+)([-‐\u00ad¬])$/u;
const START = /^\s*(\p{Ll}[\p{L}\p{M}]*)/u;
const WORDS = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu;
/** "Haus- und Hof" */
export const isConjunction = (word: string): boolean =>
  /^(?:und|oder|bis|sowie|and|or|to|et|ou|y|o|e|en|of|и|или)(?!\p{L})/iu.test(word);
const MARKS = '-‐\u00ad¬';
const LONGEST_WORD = 60;

interface Hyphen {
  readonly line: number;
  readonly left: string;
  readonly right: string;
  readonly mark: string;
}

/** Returns the lines whose last word goes on in the next line, without its hyphen. */
export function dividedWords(lines: readonly string[], isFixed: (line: number) => boolean): ReadonlySet<number> {
  const found: Hyphen[] = [];
  for (const [line, before] of lines.entries()) {
    const trimmed = before.trimEnd();
    const isHyphen = MARKS.includes(trimmed.charAt(trimmed.length - 1)) && trimmed !== '';
    const end = isHyphen && !isFixed(line) ? END.exec(trimmed.slice(-LONGEST_WORD)) : null;
    const start = end && START.exec(lines[line + 1] ?? '');
    if (!end || !start) continue;
    const [left = '', right = ''] = [end[1]?.toLowerCase(), start[1]?.toLowerCase()];
    if (!isConjunction(right)) found.push({ line, left, right, mark: end[2] ?? '-' });
  }
  if (found.length === 0) return new Set();
  const wanted = new Map<string, number>();
  for (const { left, right } of found) for (const word of [left, right, left + right]) wanted.set(word, 0);
  const hyphened = new Set<string>();
  for (const [token] of lines.join('\n').matchAll(WORDS)) {
    const word = token.toLowerCase();
    const parts = word.includes('-') ? word.split('-') : [word];
    if (parts.length > 1) hyphened.add(word);
    for (const part of parts) if (wanted.has(part)) wanted.set(part, (wanted.get(part) ?? 0) + 1);
  }
  // The halves themselves are no words of the text.
  for (const { left, right } of found) for (const word of [left, right]) wanted.set(word, (wanted.get(word) ?? 0) - 1);
  const occurs = (word: string) => (wanted.get(word) ?? 0) > 0;
  const isOne = ({ left, right, mark }: Hyphen): boolean =>
    !(mark === '-' || mark === '‐') ||
    occurs(left + right) ||
    (!hyphened.has(`${left}-${right}`) && !(occurs(left) || occurs(right)));
  return new Set(found.filter(isOne).map(({ line }) => line));
}
