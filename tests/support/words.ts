/** Trees of words, as the languages of the window and of the main process are. */

/** Every word by its path: what kind of thing it is, and how much a function takes. */
export const shapeOf = (words: object, path = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(words).flatMap(([key, value]: [string, unknown]) => {
      const here = `${path}/${key}`;
      if (typeof value === 'object' && value !== null) return Object.entries(shapeOf(value, here));
      return [[here, typeof value === 'function' ? `function of ${value.length}` : typeof value] as const];
    }),
  );

/** Every sentence that is no function, by its path. */
export const sentencesOf = (words: object): readonly (readonly [string, string])[] =>
  Object.entries(words).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? sentencesOf(value).map(([path, text]) => [`${key}/${path}`, text] as const)
      : typeof value === 'string'
        ? [[key, value] as const]
        : [],
  );

/**
 * Every sentence by its path, those of functions too: with ‹0›, ‹1› … for what they are given, and as they are without one of
 * it (of one thing and of several, with an interval and without).
 */
export const filledSentencesOf = (words: object, path = ''): readonly (readonly [string, string])[] =>
  Object.entries(words).flatMap(([key, value]: [string, unknown]): readonly (readonly [string, string])[] => {
    const here = `${path}/${key}`;
    if (typeof value === 'string') return [[here, value]];
    if (typeof value === 'object' && value !== null) return filledSentencesOf(value, here);
    return typeof value === 'function' ? saidBy(value as Saying).map(([which, text]) => [here + which, text]) : [];
  });

type Saying = (...given: readonly unknown[]) => unknown;

function saidBy(say: Saying): readonly (readonly [string, string])[] {
  const whole = Array.from({ length: say.length }, (_, at) => anything(`‹${at}›`));
  const without = whole.flatMap((_, at) => [false, null].map((nothing) => whole.with(at, nothing)));
  return [String(say(...whole)), ...without.map((given) => unlessNeeded(say, given))].flatMap((said, which) =>
    /\b(?:null|false)\b/.test(said) ? [] : [[` ${which}`, said] as const],
  );
}

/** What is said without one of what it is given, where it can do without. */
function unlessNeeded(say: Saying, given: readonly unknown[]): string {
  try {
    return String(say(...given));
  } catch (cause) {
    if (cause instanceof TypeError) return 'null';
    throw cause;
  }
}

/** Text, a list of it, or several things by name. */
const anything = (name: string): unknown =>
  new Proxy(
    {},
    {
      get: (_, key) =>
        key === Symbol.toPrimitive || key === 'toString' || key === 'join'
          ? () => name
          : anything(`${name}${String(key)}`),
    },
  );
