/** The sizes of following the voice (main/engine/voice), which no user sets. */
import type { GPTConfig } from './model.js';

/** Tokens of a prompt and of its continuation: short, so that groups of them are cheap. */
const PROMPT = 16;
const CONTINUATION = 48;
/** Tokens of a smaller vocabulary are mostly single characters: as much text has three times as many. */
const LEAST_WORDS = 1024;

export function passageShape({ block_size, vocab_size }: Pick<GPTConfig, 'block_size' | 'vocab_size'>) {
  const factor = vocab_size < LEAST_WORDS ? 3 : 1;
  const prompt = Math.max(1, Math.min(factor * PROMPT, Math.floor(block_size / 3)));
  const continuation = Math.min(factor * CONTINUATION, block_size - prompt);
  return { prompt, continuation, length: prompt + continuation };
}
export type PassageShape = ReturnType<typeof passageShape>;

/** Steps between two looks at the brakes. */
export const VOICE_ROUND = 5;

/**
 * Passages that a version is measured by (every second one's log ratio is read), and those that the untrained model writes for the
 * classifiers and for their floor, as many together as a version's; the user's own for each classifier of a kind are as many as its.
 */
const MEASURED = { version: 160, classifiers: 120, floor: 40 } as const;
/** Classifiers of a kind (main/engine/voice/yardsticks.ts). */
export const VOICE_CLASSIFIERS = 4;

/** The same for a text of so many held-out tokens: passages of a short one would be the same. */
export function voicePassages(valTokens: number, shape: PassageShape) {
  const most = Math.max(4, Math.floor(valTokens / shape.continuation));
  const limited = (count: number) => Math.min(count, most);
  return {
    version: limited(MEASURED.version),
    read: Math.ceil(limited(MEASURED.version) / 2),
    classifiers: limited(MEASURED.classifiers),
    floor: limited(MEASURED.floor),
  };
}
