/** A taste is learned from choices: of users who have one and mostly follow it, and of one who has none. */
import { describe, expect, it } from 'vitest';
import { learnTaste, type Choice } from '../../../main/engine/taste/taste.js';
import { featuresOf } from '../../../main/engine/taste/features.js';
import { uniforms } from '../../../main/engine/rng.js';
import { tasteFeatures, type TasteFeature } from '../../../shared/writing-taste.js';

const vocabulary =
  'sea ship whale morning captain white harpoon calm deck rope storm night lantern voice island old'.split(' ');

/** A stream of numbers for a seed. */
function numbers(seed: number) {
  const all = uniforms(seed, 1, 2, 0, 400_000);
  let at = 0;
  return () => all[at++ % all.length] ?? 0;
}

/** A made-up writer, whose continuations differ in length of sentences, dialogue, repetition and punctuation. */
function continuation(next: () => number): string {
  const [short, talks, repeats, commas] = [next(), next() < 0.5, next() < 0.4, next() * 0.3];
  let text = '';
  let left = 3 + Math.floor(18 * short);
  let last = 'sea';
  for (let word = 0; word < 40; word++) {
    const again = repeats && next() < 0.5;
    last = again ? last : (vocabulary[Math.floor(next() * vocabulary.length)] ?? 'sea');
    text += ` ${last}`;
    if (--left <= 0) {
      text += talks ? '.” “' : '.';
      left = 3 + Math.floor(18 * short);
    } else if (next() < commas) text += ',';
  }
  return text;
}

type Liking = (text: string) => number;
const feature = (name: TasteFeature) => (text: string) => featuresOf('', text)[tasteFeatures.indexOf(name)] ?? 0;
const tastes: Readonly<Record<string, Liking>> = {
  talk: (text) => 8 * feature('dialogue')(text) - feature('sentence_length')(text),
  sound: (text) => -8 * feature('repeats')(text),
  commas: (text) => 5 * feature('commas')(text),
};

/** A user who follows the liking in 8 choices of 10, and chooses anything in the others. */
function choicesOf(liking: Liking | null, count: number, seed: number): Choice[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () => {
    const texts = [0, 1, 2].map(() => continuation(next)).sort((a, b) => (liking ? liking(b) - liking(a) : 0));
    const at = liking && next() < 0.8 ? 0 : Math.floor(next() * 3);
    return { context: 'The', chosen: texts[at] ?? '', others: texts.filter((_, other) => other !== at) };
  });
}

/** How often the text that the taste puts first of three is preferred to another, fresh one. */
function wins(liking: Liking, score: (text: string) => number): number {
  const next = numbers(99);
  const won = Array.from({ length: 400 }, (): number => {
    const best = [0, 1, 2].map(() => continuation(next)).sort((a, b) => score(b) - score(a))[0] ?? '';
    return Math.sign(liking(best) - liking(continuation(next)));
  });
  return won.reduce((sum, one) => sum + (one + 1) / 2, 0) / won.length;
}

describe('a taste', () => {
  it.each(Object.entries(tastes))('%s is learned from 100 choices, and orders fresh continuations', (_, liking) => {
    for (const seed of [1, 2, 3]) {
      const taste = learnTaste(choicesOf(liking, 100, seed));
      // A perfect judge of it would win three times of four.
      expect(wins(liking, (text) => taste.score('The', text))).toBeGreaterThan(0.68);
      expect(taste.guessed?.low).toBeGreaterThan(taste.guessed?.chance ?? 1);
    }
  });

  it('is said in words that are true of it', () => {
    const named = (liking: Liking) => learnTaste(choicesOf(liking, 100, 4)).preferences;
    expect(named(tastes['sound'] ?? Math.random)).toContainEqual({ feature: 'repeats', more: false });
    expect(named(tastes['commas'] ?? Math.random)).toContainEqual({ feature: 'commas', more: true });
    expect(named(tastes['talk'] ?? Math.random)).toContainEqual({ feature: 'dialogue', more: true });
  });

  it('of a user who has none is not found', () => {
    const found = Array.from({ length: 20 }, (_, seed) => learnTaste(choicesOf(null, 60, seed + 10)));
    // One in twenty would be found by chance at 95 %, for each of twelve features.
    expect(found.filter(({ guessed }) => guessed && guessed.low > guessed.chance).length).toBeLessThan(4);
    expect(found.flatMap(({ preferences }) => preferences).length / found.length).toBeLessThan(1.2);
  });

  it('begins with the author’s voice less repetition, and moves from there', () => {
    const { score, certain, preferences } = learnTaste([]);
    expect(score('', 'a b c d', 0.3)).toBeGreaterThan(score('', 'a b c d', 0));
    expect(score('', 'a b a b', 0)).toBeLessThan(score('', 'a b c d', 0));
    expect({ certain, preferences }).toEqual({ certain: false, preferences: [] });
    const against = Array.from({ length: 60 }, (_, at) => {
      return { context: '', chosen: 'a b', others: ['c d'], voice: [0.1, 0.3 + 0.001 * at] };
    });
    const moved = learnTaste(against);
    expect(moved.score('', 'a b', 0.3)).toBeLessThan(moved.score('', 'a b', 0));
    expect(moved.preferences).toContainEqual({ feature: 'voice', more: false });
  });

  it('leaves out what the user switched off, and says nothing of a few choices', () => {
    const choices = choicesOf(tastes['commas'] ?? null, 100, 5);
    const { preferences, score } = learnTaste(choices, ['commas']);
    expect(preferences.map(({ feature: name }) => name)).not.toContain('commas');
    expect(score('', 'a, b, c')).toBe(score('', 'a, b c'));
    expect(learnTaste(choices.slice(0, 9))).toMatchObject({ preferences: [], guessed: null });
    expect(learnTaste([]).score('', 'text')).toBe(0);
  });
});

describe('features', () => {
  const of = (text: string, context = '') =>
    Object.fromEntries(tasteFeatures.map((name, i) => [name, featuresOf(context, text)[i]]));
  it.each([
    ['“Ay!” he said. “Where?”', { dialogue: 1, whole_sentences: 1, exclamations: 0.25 }],
    ['他说：“你好。”我们走了。', { whole_sentences: 1 }],
    ['قال: أهلا، كيف أنت؟', { questions: 0.25, whole_sentences: 1 }],
    ['the sea the sea the sea', { repeats: 0.6, whole_sentences: 0 }],
  ])('%s', (text, values) => {
    expect(of(text)).toMatchObject(values);
  });
  it('see what the text before it said', () => {
    expect(of(' the whale swam', 'A whale came.')).toMatchObject({ echoes: 0.5 });
    expect(Object.values(of('')).every(Number.isFinite)).toBe(true);
  });
});
