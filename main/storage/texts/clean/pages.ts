/**
 * Finds page numbers and running heads. With form feeds: lines that recur at the edges of pages. Without: numbers that count
 * up at a page's distance, and lines that recur at one, if they interrupt sentences: chapters and stanzas never do.
 */

/** Characters of a page. */
const [SMALL_PAGE, LARGE_PAGE] = [600, 8000];
const LEAST_PAGES = 4;
const LEAST_FEEDS = 3;
const LONGEST_HEAD = 80;
/** Numbers that a page may lie behind the last one seen. */
const MOST_SKIPPED = 3;
/** Chains that are followed at once, and lines between a head and the text. */
const [MOST_OPEN, FARTHEST] = [64, 8];
/** Times that what has been found is taken out and looked at again. */
const ROUNDS = 4;

const NUMBER = /^[-–—[(\s]*(?:(?:page|seite|p\.|s\.)\s*)?(\d{1,4})[-–—\])\s.]*$/i;
const HEAD = /^(?:(\d{1,4})\s+(\D+)|(\D+?)\s+(\d{1,4}))$/;
const UNENDED = /[\p{L}\p{N},-]\s*$/u;
const GOES_ON = /^\s*["“'‘(]?[\p{Ll}\p{Lo}]/u;

interface Candidate {
  readonly line: number;
  /** Characters before it. */
  readonly at: number;
  /** Its text without the number. */
  readonly key: string;
  readonly page: number | null;
}

/** Returns what a line would be as a number or a head; null if it is too long. */
function candidate(text: string, line: number, at: number): Candidate | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > LONGEST_HEAD) return null;
  const digits = trimmed.charCodeAt(0) < 58 || trimmed.charCodeAt(trimmed.length - 1) < 94 || /^[ps]/i.test(trimmed);
  const alone = digits ? NUMBER.exec(trimmed) : null;
  if (alone) return { line, at, key: '#', page: Number(alone[1]) };
  const named = digits ? HEAD.exec(trimmed) : null;
  if (!named) return { line, at, key: trimmed, page: null };
  return { line, at, key: `${(named[2] ?? named[3] ?? '').trim()} #`, page: Number(named[1] ?? named[4]) };
}

/** Returns the lines without page numbers and running heads, and reports each. */
export function withoutPages(lines: readonly string[], onFound: (line: string) => void): readonly string[] {
  let text = lines;
  for (let round = 0; round < ROUNDS; round++) {
    const feeds = text.reduce((count, line) => count + (line.includes('\f') ? 1 : 0), 0);
    const found = feeds >= LEAST_FEEDS ? atFeeds(text) : atDistances(text);
    if (feeds < LEAST_FEEDS && found.size === 0) break;
    for (const line of found) onFound((text[line] ?? '').trim());
    text = without(text, found);
  }
  return text;
}

const isBlank = (line: string | undefined): boolean => line?.trim() === '';

/** Removes lines, and the blank ones around them where a sentence goes on. */
function without(lines: readonly string[], found: ReadonlySet<number>): readonly string[] {
  const kept: string[] = [];
  let [isSeam, blanks] = [false, 0];
  for (const [i, raw] of lines.entries()) {
    if (raw.includes('\f') && kept.length > 0) isSeam = true;
    const line = raw.replaceAll('\f', '');
    if (found.has(i)) isSeam = true;
    else if (isBlank(line)) {
      if (kept.length === 0 && isSeam) continue;
      kept.push(line);
      blanks++;
    } else {
      if (isSeam && blanks > 0 && interrupts(kept[kept.length - 1 - blanks] ?? '', line)) kept.length -= blanks;
      kept.push(line);
      [isSeam, blanks] = [false, 0];
    }
  }
  return kept;
}

const interrupts = (before: string, after: string): boolean => UNENDED.test(before) && GOES_ON.test(after);

function atFeeds(lines: readonly string[]): ReadonlySet<number> {
  const pages: number[][] = [[]];
  for (const [i, line] of lines.entries()) {
    if (line.includes('\f')) pages.push([]);
    if (!isBlank(line)) pages.at(-1)?.push(i);
  }
  const found = new Set<number>();
  const edge = (page: readonly number[], isHead: boolean) =>
    (isHead ? page : page.toReversed()).find((line) => !found.has(line));
  for (const isHead of [true, false, true, false]) {
    const byKey = new Map<string, (Candidate & { readonly of: number })[]>();
    for (const [of, page] of pages.entries()) {
      const line = edge(page, isHead);
      const one = line === undefined ? null : candidate(lines[line] ?? '', line, 0);
      // A head without a number has no text next to it.
      const inside = (line ?? 0) + (isHead ? 1 : -1);
      if (one && (one.page !== null || isBlank(lines[inside]) || found.has(inside)))
        listIn(byKey, one.key).push({ ...one, of });
    }
    for (const same of byKey.values()) {
      const follows = same.map((one, i) => {
        const before = same[i - 1];
        if (!before) return false;
        const distance = one.of - before.of;
        return one.page === null ? distance <= 2 : one.page - (before.page ?? 0) === distance;
      });
      const inRow = same.filter((_, i) => follows[i] === true || follows[i + 1] === true);
      if (inRow.length >= LEAST_FEEDS) for (const { line } of inRow) found.add(line);
    }
  }
  return found;
}

function atDistances(lines: readonly string[]): ReadonlySet<number> {
  const all: Candidate[] = [];
  const times = new Map<string, number>();
  let at = 0;
  for (const [i, line] of lines.entries()) {
    const one = candidate(line, i, at);
    at += line.length + 1;
    // A head without a number has no text next to it.
    if (one === null || (one.page === null && !(isBlank(lines[i - 1]) && isBlank(lines[i + 1])))) continue;
    all.push(one);
    times.set(one.key, (times.get(one.key) ?? 0) + 1);
  }
  const isOften = ({ key }: Candidate) => key === '#' || (times.get(key) ?? 0) >= LEAST_PAGES - 1;
  const found = new Set<number>();
  const numbers = chainsOf(
    all.filter((one) => one.page !== null && isOften(one)),
    ({ page: before }, { page }) => (page ?? 0) - (before ?? 0),
  );
  const heads = new Map<string, Candidate[]>();
  for (const one of all) if (one.page === null && isOften(one)) listIn(heads, one.key).push(one);
  const recurring = [...heads.values()].flatMap((same) => chainsOf(same, () => 1)).filter(isRegular);
  const often = new Set(all.filter(isOften).map(({ line }) => line));
  const around = (line: number, by: 1 | -1) => lines[nextText(lines, line, by, often)] ?? '';
  const seams = (chain: readonly Candidate[]) =>
    chain.filter(({ line }) => interrupts(around(line, -1), around(line, 1))).length;
  for (const chain of [...numbers, ...recurring]) {
    if (chain.length >= LEAST_PAGES && 3 * seams(chain) >= chain.length) for (const { line } of chain) found.add(line);
  }
  // A head without a number is next to one.
  const isNext = ({ line }: Candidate) => ([-1, 1] as const).some((by) => found.has(nextText(lines, line, by)));
  const adjacent = [...heads.values()].map((same) => same.filter(isNext));
  for (const same of adjacent) if (same.length >= LEAST_PAGES - 1) for (const { line } of same) found.add(line);
  return found;
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

/** Chains candidates of which each is as many pages behind the one before as `pagesBetween` says. */
function chainsOf(
  all: readonly Candidate[],
  pagesBetween: (before: Candidate, after: Candidate) => number,
): readonly (readonly Candidate[])[] {
  const chains: Candidate[][] = [];
  let open: Candidate[][] = [];
  for (const one of all) {
    const isNear = (chain: readonly Candidate[]) => one.at - (chain.at(-1)?.at ?? 0) <= MOST_SKIPPED * LARGE_PAGE;
    open = open.slice(-MOST_OPEN).filter(isNear);
    const before = open.find((chain) => {
      const last = chain.at(-1);
      const pages = last ? pagesBetween(last, one) : 0;
      const distance = one.at - (last?.at ?? 0);
      return pages >= 1 && pages <= MOST_SKIPPED && distance >= pages * SMALL_PAGE && distance <= pages * LARGE_PAGE;
    });
    if (before) before.push(one);
    else open.push(chains[chains.push([one]) - 1] ?? []);
  }
  return chains;
}

/** Whether the distances are about the same. */
function isRegular(chain: readonly Candidate[]): boolean {
  const gaps = chain.slice(1).map(({ at }, i) => at - (chain[i]?.at ?? 0));
  const sorted = gaps.sort((a, b) => a - b);
  return (sorted.at(-1) ?? 0) <= 2 * (sorted[0] ?? 0);
}

/** Finds the next line with text. @param isOut lines to pass over */
function nextText(lines: readonly string[], from: number, by: 1 | -1, isOut?: ReadonlySet<number>): number {
  for (let i = from + by; i >= 0 && i < lines.length && Math.abs(i - from) < FARTHEST; i += by)
    if (!isBlank(lines[i]) && isOut?.has(i) !== true) return i;
  return -1;
}
