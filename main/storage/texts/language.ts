/** Recognizes the language of a text by its trigrams (the library franc). */
import { franc } from 'franc';

/** Passages that vote, and characters of each. */
const PASSAGES = 9;
const PASSAGE_CHARACTERS = 800;
/** Code, tables and mixed texts divide the votes. */
const MAJORITY = 0.6;
/** Scots and English share nearly all of their trigrams. */
const CONFUSED = ['sco'];

/** Returns the language's BCP 47 tag, such as `en` or `sw`; null if no language has most of the text. */
export function detectLanguage(sample: string): string | null {
  const votes = new Map<string, number>();
  const passages = passagesOf(sample);
  for (const passage of passages) {
    const language = franc(passage, { ignore: CONFUSED });
    votes.set(language, (votes.get(language) ?? 0) + 1);
  }
  const [winner, count] = [...votes].sort(([, one], [, other]) => other - one)[0] ?? ['und', 0];
  return winner === 'und' || count < MAJORITY * passages.length ? null : (Intl.getCanonicalLocales(winner)[0] ?? null);
}

/** Spreads the passages over the sample. */
function passagesOf(sample: string): string[] {
  if (sample.length <= PASSAGES * PASSAGE_CHARACTERS) return sample.match(/[^]{1,800}/gu) ?? [];
  const stride = Math.floor((sample.length - PASSAGE_CHARACTERS) / (PASSAGES - 1));
  return Array.from({ length: PASSAGES }, (_, i) => sample.slice(i * stride, i * stride + PASSAGE_CHARACTERS));
}
