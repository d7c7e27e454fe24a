/**
 * How varied some passages are, passage by passage and by characters, so that writers of different tokens can be compared
 * and intervals be drawn over passages: how much of each is in none of the others, and self-BLEU (Zhu et al. 2018,
 * "Texygen", section 3.3). Both depend on how many passages there are: compare equal numbers of them.
 */

/** Characters of the stretches that are looked for in other passages: about a word and its space. */
const STRETCH = 6;
/** Word n-grams of BLEU. */
const LONGEST_GRAM = 4;

/** For each passage, the share of its stretches of six characters that stand in no other passage; 1 for one that has none. */
export function novelShares(passages: readonly string[]): Float64Array {
  const holders = new Map<string, number>();
  const own = passages.map((text) => stretchesOf(text));
  own.forEach((stretches, passage) => {
    for (const stretch of stretches) {
      const holder = holders.get(stretch);
      holders.set(stretch, holder === undefined || holder === passage ? passage : SEVERAL);
    }
  });
  return Float64Array.from(own, (stretches) =>
    stretches.length === 0 ? 1 : stretches.filter((one) => holders.get(one) !== SEVERAL).length / stretches.length,
  );
}

const SEVERAL = -1;

function stretchesOf(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.max(0, characters.length - STRETCH + 1) }, (_, i) =>
    characters.slice(i, i + STRETCH).join(''),
  );
}

/**
 * For each passage, its BLEU with all others as references: near 1 where all say the same. Counts of n-grams are clipped by
 * the most that one other passage has; a length without a match counts half a match, so that the mean stays above 0.
 */
export function selfBleu(passages: readonly string[]): Float64Array {
  const words = passages.map((text) => text.split(/\s+/u).filter((word) => word !== ''));
  const logs = new Float64Array(passages.length);
  for (let n = 1; n <= LONGEST_GRAM; n++) {
    const counts = words.map((one) => gramCounts(one, n));
    const most = mostElsewhere(counts);
    counts.forEach((own, passage) => {
      let [matched, total] = [0, 0];
      for (const [gram, count] of own) {
        total += count;
        matched += Math.min(count, most(gram, passage));
      }
      logs[passage] = (logs[passage] ?? 0) + Math.log(Math.max(matched, 0.5) / Math.max(total, 1)) / LONGEST_GRAM;
    });
  }
  return logs.map((log) => Math.min(1, Math.exp(log)));
}

function gramCounts(words: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= words.length; i++) {
    const gram = words.slice(i, i + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** The most that any passage but one has of a gram: of each, the two that have most are enough. */
function mostElsewhere(counts: readonly Map<string, number>[]): (gram: string, passage: number) => number {
  const best = new Map<string, { holder: number; most: number; second: number }>();
  counts.forEach((own, passage) => {
    for (const [gram, count] of own) {
      const seen = best.get(gram);
      if (!seen) best.set(gram, { holder: passage, most: count, second: 0 });
      else if (count > seen.most) best.set(gram, { holder: passage, most: count, second: seen.most });
      else seen.second = Math.max(seen.second, count);
    }
  });
  return (gram, passage) => {
    const seen = best.get(gram);
    if (!seen) return 0;
    return seen.holder === passage ? seen.second : seen.most;
  };
}
