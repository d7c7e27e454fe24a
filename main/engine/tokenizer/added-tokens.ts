/**
 * Tokens that are found in a text before anything else is done with it: what begins and ends a text or a turn, and what
 * a model's makers added later. At each place the longest is taken, as Python's `tokenizers` does.
 */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Not inside a word. */
  readonly singleWord: boolean;
  /** Takes the white space on its left, on its right, with it. */
  readonly stripLeft: boolean;
  readonly stripRight: boolean;
  /** Looked for in the text as it has been normalised, not as it was. */
  readonly isNormalized: boolean;
  /** Has a meaning for the model, and is no part of what it says. */
  readonly isSpecial: boolean;
}

/** What lies between two tokens that were found, and the token after it; the last has none. */
interface Section {
  readonly text: string;
  readonly token: AddedToken | null;
}

interface Node {
  readonly next: Map<number, Node>;
  token: AddedToken | null;
}

const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]/u;

/** @param contentOf what to look for in place of a token's own content */
export function createFinder(
  tokens: readonly AddedToken[],
  contentOf = (token: AddedToken): string => token.content,
): (text: string) => readonly Section[] {
  const root: Node = { next: new Map(), token: null };
  for (const token of tokens) {
    const content = contentOf(token);
    let node = root;
    for (let i = 0; i < content.length; i++) {
      const unit = content.charCodeAt(i);
      const next = node.next.get(unit) ?? { next: new Map<number, Node>(), token: null };
      node.next.set(unit, next);
      node = next;
    }
    if (node !== root) node.token ??= token;
  }
  const begins = new Uint8Array(1 << 16);
  for (const unit of root.next.keys()) begins[unit] = 1;

  return (text) => {
    const sections: Section[] = [];
    let done = 0;
    for (let at = 0; at < text.length; at++) {
      if (begins[text.charCodeAt(at)] === 0) continue;
      const found = longestAt(root, text, at);
      if (found === null) continue;
      const { token, end } = found;
      // A token that may not stand here takes its place all the same: what it covers is not looked at again.
      if (!token.singleWord || isAlone(text, at, end)) {
        const before = text.slice(done, at);
        sections.push({ text: token.stripLeft ? withoutWhiteSpaceAtEnd(before) : before, token });
        done = token.stripRight ? end + whiteSpaceAt(text, end) : end;
      }
      at = Math.max(end, done) - 1;
    }
    sections.push({ text: text.slice(done), token: null });
    return sections;
  };
}

function longestAt(root: Node, text: string, start: number): { token: AddedToken; end: number } | null {
  let found: { token: AddedToken; end: number } | null = null;
  let node: Node | undefined = root;
  for (let at = start; at < text.length; at++) {
    node = node.next.get(text.charCodeAt(at));
    if (node === undefined) break;
    if (node.token !== null) found = { token: node.token, end: at + 1 };
  }
  return found;
}

/** White space here is Unicode's, not JavaScript's, which has U+FEFF and lacks U+0085. */
const whiteSpace = /\p{White_Space}*/uy;
const oneWhiteSpace = /\p{White_Space}/u;

/** From the end: a pattern would begin again at each blank of a long row of them. */
function withoutWhiteSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && oneWhiteSpace.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** How much white space begins there. */
function whiteSpaceAt(text: string, start: number): number {
  whiteSpace.lastIndex = start;
  return whiteSpace.exec(text)?.[0].length ?? 0;
}

const isAlone = (text: string, start: number, end: number): boolean =>
  !WORD.test(text.slice(Math.max(0, start - 1), start)) && !WORD.test(text.slice(end, end + 1));
