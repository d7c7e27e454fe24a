/**
 * Finds a key that one JSON object holds twice. JSON.parse keeps the last in silence, so that two readers of one file
 * could see two different things; a header that does so is refused instead.
 */

/** The first character that is not white space; `y` looks from `lastIndex` on and nowhere else. */
const afterSpace = /\s*(\S)/y;

/** Position after the closing quote of the string that opens at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * @param json valid JSON
 * @returns the first key found twice in the same object, or null
 */
export function duplicateKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    else if (character === '"') {
      const end = stringEnd(json, at);
      const keys = open.at(-1);
      afterSpace.lastIndex = end;
      if (keys !== undefined && afterSpace.exec(json)?.[1] === ':') {
        const key = String(JSON.parse(json.slice(at, end)));
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return null;
}
