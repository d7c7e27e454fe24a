/** The demonstration's writing page: a document in memory, and continuations that appear word by word. */
import { wordsOf } from '../../shared/base/words-of.js';
import type { Learned, WrittenDocument } from '../../shared/contract/writing.js';
import { writtenAfter } from './text.js';
import type { DemoHandlers } from './transport.js';

type WritingHandlers = Pick<DemoHandlers, Extract<keyof DemoHandlers, `writing.${string}`>>;

const pause = () => new Promise((resolve) => setTimeout(resolve, 15));

export function createDemoWriting(): WritingHandlers {
  let document: WrittenDocument = { text: 'The sea was calm that morning, and ', keeps_picks: true, ignored: [] };
  const picks = new Set<string>();
  const preferences = [
    { feature: 'dialogue', more: true },
    { feature: 'repeats', more: false },
  ] as const;
  /** As many choices show something. */
  const enough = () => picks.size >= 2;
  const learned = (): Learned => ({
    picks: picks.size,
    choices: 12 * picks.size,
    preferences: enough() ? preferences.filter(({ feature }) => !document.ignored.includes(feature)) : [],
    guessed: enough() ? { share: 0.58, chance: 0.33, certain: true } : null,
  });
  return {
    'writing.open': () => ({ ...document, ...learned() }),
    'writing.learned': learned,
    'writing.save'({ project: _project, ...saved }) {
      document = { ...saved, ignored: saved.ignored ?? [] };
      return {};
    },
    'writing.continue': async ({ before, count, words, seed, min_p = 0, repetition_penalty = 1 }, call) => {
      const all = Array.from({ length: count }, (_, row) => {
        const written = wordsOf(writtenAfter(before === '' ? 'First' : before, words * 12, seed + row, 0.9 + min_p));
        return (repetition_penalty > 1 ? [...new Set(written)] : written).slice(0, words);
      });
      const texts = (length: number) => ({ texts: all.map((one) => one.slice(0, length).join('').trimEnd()) });
      for (let length = 1; length < words; length += 4) {
        if (call.cancelled()) return { ...texts(length), copied: [], favourite: null };
        call.progress(texts(length));
        await pause();
      }
      return {
        ...texts(words),
        copied: all.map((_, row) => (row === 2 ? [{ start: 4, end: 60 }] : [])),
        favourite: enough() ? 1 : 0,
      };
    },
    'writing.inspect': ({ text }) => ({
      tokens: [...text].map((character, at) => {
        const probability = 0.5 + 0.4 * Math.sin(at);
        return {
          text: character,
          log_prob: Math.log(probability),
          natural: Math.max(0.03, 0.92 - (0.5 * at) / text.length + 0.05 * Math.sin(at / 3)),
          alternatives: [character, 'e', ' ', '\n'].map((other, rank) => ({
            text: other,
            probability: rank === 0 ? probability : ((1 - probability) * (4 - rank)) / 7,
          })),
        };
      }),
    }),
    'writing.pick'({ pick }) {
      picks.add(pick.id);
      return learned();
    },
    'writing.undoPick'({ id }) {
      picks.delete(id);
      return learned();
    },
  };
}
