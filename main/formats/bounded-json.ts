/** Parses untrusted JSON: bounds nesting and the number of values, and finds keys that an object has twice. */

/** Our own files reach a depth of six, and hold some hundred values. */
const MAX_JSON_DEPTH = 64;
const MAX_JSON_VALUES = 1 << 18;

/** @throws SyntaxError when it is not JSON, deeper than `deepest`, or has more than `most` values */
export function parseBoundedJson(text: string, deepest = MAX_JSON_DEPTH, most = MAX_JSON_VALUES): unknown {
  checkBounds(text, deepest, most);
  return JSON.parse(text);
}

/** Checks depth and count alone; JSON.parse reports other errors. */
function checkBounds(text: string, deepest: number, most: number): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values++;
      if (++depth > deepest) throw new SyntaxError(`nested more than ${deepest} deep`);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth--;
    } else if (code === COMMA && ++values > most) {
      throw new SyntaxError(`more than ${most} values`);
    }
  }
  if (values > most) throw new SyntaxError(`more than ${most} values`);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The first character that is not white space; `y` looks from `lastIndex` on and nowhere else. */
const afterSpace = /\s*(\S)/y;

/** Position after the closing quote of the string that opens at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/** @param json valid JSON. @returns the first key found twice in the same object, or null */
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
