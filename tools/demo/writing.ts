/** The demonstration's writing page: a document in memory, and continuations that appear word by word. */
import { wordsOf } from '../../shared/base/words-of.js';
import { writtenAfter } from './text.js';
import type { DemoHandlers } from './transport.js';

type WritingHandlers = Pick<DemoHandlers, Extract<keyof DemoHandlers, `writing.${string}`>>;

const pause = () => new Promise((resolve) => setTimeout(resolve, 15));

export function createDemoWriting(): WritingHandlers {
  let document = { text: 'The sea was calm that morning, and ', keeps_picks: true };
  const picks = new Set<string>();
  return {
    'writing.open': () => ({ ...document, picks: picks.size }),
    'writing.save'({ project: _project, ...saved }) {
      document = saved;
      return {};
    },
    'writing.continue': async ({ before, count, words, seed }, call) => {
      const all = Array.from({ length: count }, (_, row) =>
        wordsOf(writtenAfter(before === '' ? 'First' : before, words * 6, seed + row, 0.9)).slice(0, words),
      );
      const texts = (length: number) => ({ texts: all.map((one) => one.slice(0, length).join('').trimEnd()) });
      for (let length = 1; length < words; length += 4) {
        if (call.cancelled()) return texts(length);
        call.progress(texts(length));
        await pause();
      }
      return texts(words);
    },
    'writing.pick': ({ pick }) => ({ picks: picks.add(pick.id).size }),
    'writing.undoPick'({ id }) {
      picks.delete(id);
      return { picks: picks.size };
    },
  };
}
