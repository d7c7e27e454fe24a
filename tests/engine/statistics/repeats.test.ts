/** Repeated text: found as looking for every stretch finds it, in any language. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRepeats, LONG_REPEAT } from '../../../main/engine/statistics/repeats.js';

function longestByHand(text: string): number {
  for (let length = text.length - 1; length > 0; length--) {
    for (let start = 0; start + length <= text.length; start++) {
      if (text.indexOf(text.slice(start, start + length), start + 1) >= 0) return length;
    }
  }
  return 0;
}

describe('the longest repeat', () => {
  it('is the one that trying every stretch finds', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[abcé中]{0,40}$/), (text) => {
        const { longest } = findRepeats(text);
        expect(longest.length).toBe(longestByHand(text));
        if (longest !== '') expect(text.indexOf(longest)).not.toBe(text.lastIndexOf(longest));
      }),
    );
  });
});

describe('the repeated share', () => {
  const noise = (length: number, seed: number): string =>
    Array.from({ length }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * 7919 + seed * 104729 + i * i * 31) % 20011)),
    ).join('');

  it('is the text that lies in long copies, wherever they stand', () => {
    const copy = noise(200, 1);
    const text = copy + noise(300, 2) + copy + noise(300, 3);
    expect(findRepeats(text).share).toBeCloseTo(0.4, 2);
    expect(findRepeats('ab'.repeat(500)).share).toBeCloseTo(1, 2);
  });

  it('leaves out what is shorter than a set phrase may be', () => {
    const phrase = noise(LONG_REPEAT - 1, 4);
    expect(findRepeats(phrase + noise(200, 5) + phrase).share).toBe(0);
    expect(findRepeats('').share).toBe(0);
  });
});
