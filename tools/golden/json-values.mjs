// Replaces single values in the text of a JSON document and leaves every other byte as it is: parsing and writing it
// again would hide a change of key order, spacing or the form of a number.

/**
 * @param {string} text a valid JSON document
 * @param {(path: readonly string[], value: string | number | boolean | null) => string | number | null | undefined} replacement
 *   for each value that is no object or list, with the keys that lead to it; undefined leaves it
 * @returns {string}
 * @throws {SyntaxError} when it is no JSON
 */
export function replaceValues(text, replacement) {
  JSON.parse(text);
  let at = 0;
  let copied = 0;
  let result = '';
  const token = /\s*("(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+)/y;
  const next = () => {
    token.lastIndex = at;
    const found = token.exec(text)?.[1] ?? '';
    at = token.lastIndex;
    return found;
  };
  /**
   * @param {string} first the value's first token
   * @param {readonly string[]} path
   */
  const value = (first, path) => {
    if (first === '{' || first === '[') {
      const isObject = first === '{';
      let index = 0;
      for (let read = next(); read !== '}' && read !== ']'; read = next()) {
        if (read === ',') continue;
        const key = isObject ? /** @type {string} */ (JSON.parse(read)) : String(index++);
        if (isObject) next(); // the colon
        value(isObject ? next() : read, [...path, key]);
      }
      return;
    }
    const replaced = replacement(path, JSON.parse(first));
    if (replaced === undefined) return;
    result += text.slice(copied, at - first.length) + JSON.stringify(replaced);
    copied = at;
  };
  value(next(), []);
  return result + text.slice(copied);
}
