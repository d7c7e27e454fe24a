// Which words of a sample were not in the one before.
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { changedWords } from '../../../renderer/series/changed-words.js';

const marked = (before: string, text: string): string =>
  changedWords(before, text)
    .map(({ text: part, isNew }) => (isNew ? `[${part}]` : part))
    .join('');

describe('changedWords', () => {
  it('marks what was not there before, and leaves what was', () => {
    expect(marked('the whale swam away', 'the white whale swam off')).toBe('the [white ]whale swam [off]');
    expect(marked('', 'all new')).toBe('[all new]');
    expect(marked('the same', 'the same')).toBe('the same');
    expect(marked('a b c', '')).toBe('');
  });

  it('returns the whole text, with common words in the previous order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n'), { maxLength: 40 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const stretches = changedWords(before, after);
        expect(stretches.map((stretch) => stretch.text).join('')).toBe(after);
        const kept = stretches
          .filter(({ isNew }) => !isNew)
          .flatMap((stretch) => stretch.text.split(/\s+/).filter(Boolean));
        const earlier = before.split(/\s+/).filter(Boolean);
        let at = -1;
        for (const word of kept) {
          at = earlier.indexOf(word, at + 1);
          expect(at).toBeGreaterThanOrEqual(0);
        }
        // Nothing of a text that is the same is marked.
        expect(changedWords(after, after).every(({ isNew }) => !isNew)).toBe(true);
      }),
    );
  });
});
