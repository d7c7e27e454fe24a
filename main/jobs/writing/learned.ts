/** What a project's choices among continuations show, and which continuation they speak for. */
import type { Learned } from '../../../shared/contract/writing.js';
import { learnTaste } from '../../engine/taste/taste.js';
import { readDocument, readPicks } from '../../storage/projects/writing.js';
import { choicesOf } from './choices.js';

/** Older choices are left out, so that learning takes milliseconds. */
const LEARNED_FROM = 500;

export function learnedFrom(folder: string) {
  const choices = choicesOf(folder);
  const { preferences, guessed, score, certain } = learnTaste(
    choices.slice(-LEARNED_FROM),
    readDocument(folder).ignored,
  );
  const learned: Learned = {
    picks: readPicks(folder).length,
    choices: choices.length,
    preferences: certain ? [...preferences] : [],
    guessed: guessed && { share: guessed.share, chance: guessed.chance, certain },
  };
  return {
    learned,
    /** Finds the one with the highest score. @param voices log ratios, which decide before choices do; empty if unknown */
    favourite(context: string, texts: readonly string[], voices: readonly number[]): number | null {
      if (texts.length < 2 || (!certain && voices.length === 0)) return null;
      const scores = texts.map((text, at) => score(context, text, voices[at]));
      return scores.indexOf(Math.max(...scores));
    },
  };
}
