/** Finds added tokens, such as the start and end of a text or a turn; the longest at each place, as Python's `tokenizers`. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Not found inside a word. */
  readonly singleWord: boolean;
  /** Includes white space on its left or right. */
  readonly stripLeft: boolean;
  readonly stripRight: boolean;
  /** Found in the normalised text. */
  readonly isNormalized: boolean;
  /** Not part of the text. */
  readonly isSpecial: boolean;
}

/** The text between two added tokens, and the token after it; the last section has none. */
interface Section {
  readonly text: string;
  readonly token: AddedToken | null;
}

interface Node {
  readonly next: Map<number, Node>;
  token: AddedToken | null;
}

const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]/u;

/** @param contentOf replaces a token's own content in the search */
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
  if (root.next.size === 0) return (text) => [{ text, token: null }];
  const starts = new Uint8Array(1 << 16);
  for (const unit of root.next.keys()) starts[unit] = 1;

  return (text) => {
    const sections: Section[] = [];
    let done = 0;
    for (let at = 0; at < text.length; at++) {
      if (starts[text.charCodeAt(at)] === 0) continue;
      const found = longestAt(root, text, at);
      if (found === null) continue;
      const { token, end } = found;
      // A token that is not allowed here still covers its characters.
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

/** Unicode's white space: JavaScript's has U+FEFF and lacks U+0085. */
const whiteSpace = /\p{White_Space}*/uy;
const oneWhiteSpace = /\p{White_Space}/u;

/** Scans from the end; a pattern would restart at each blank. */
function withoutWhiteSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && oneWhiteSpace.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The length of the white space at `start`. */
function whiteSpaceAt(text: string, start: number): number {
  whiteSpace.lastIndex = start;
  return whiteSpace.exec(text)?.[0].length ?? 0;
}

const isAlone = (text: string, start: number, end: number): boolean =>
  !WORD.test(text.slice(Math.max(0, start - 1), start)) && !WORD.test(text.slice(end, end + 1));
