/**
 * JSON from files that are not trusted. JSON.parse takes any nesting and any number of values, each of which becomes many
 * times as large in memory as it is in the file, and what walks through the value afterwards runs out of stack.
 */

/** Our own files reach a depth of six, and hold some hundred values. */
const MAX_JSON_DEPTH = 64;
const MAX_JSON_VALUES = 1 << 18;

/** @throws SyntaxError when it is not JSON, deeper than `deepest`, or has more than MAX_JSON_VALUES values */
export function parseBoundedJson(text: string, deepest = MAX_JSON_DEPTH): unknown {
  checkBounds(text, deepest);
  return JSON.parse(text);
}

/** What is not JSON may pass here: it need only be told soon. */
function checkBounds(text: string, deepest: number): void {
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
    } else if (code === COMMA && ++values > MAX_JSON_VALUES) {
      throw new SyntaxError(`more than ${MAX_JSON_VALUES} values`);
    }
  }
  if (values > MAX_JSON_VALUES) throw new SyntaxError(`more than ${MAX_JSON_VALUES} values`);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
