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
