/**
 * Finds a key that one JSON object holds twice. JSON.parse keeps the last in silence, so that two readers of one file
 * could see two different things; a header that does so is refused instead.
 */

/** Strings and the marks that open and close things; in valid JSON nothing else matters here. */
const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g;

/**
 * @param json valid JSON
 * @returns the first key found twice in the same object, or null
 */
export function duplicateKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [text, colon] of json.matchAll(token)) {
    const keys = open.at(-1);
    if (text === '{') open.push(new Set());
    else if (text === '}') open.pop();
    else if (colon !== undefined && keys !== undefined) {
      const key = String(JSON.parse(text.slice(0, -colon.length)));
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return null;
}
