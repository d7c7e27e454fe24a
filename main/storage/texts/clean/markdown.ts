/** Turns Markdown's links into their text and takes its tables out; code is left alone. */

const INNER = /!?\[([^[\]]*)\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\)|\[[^[\]]*\])/g;
const BARE = /<(?:https?|mailto):[^\s<>]+>/g;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s+\S/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** @param onFound receives each changed place */
export function plainMarkdown(
  lines: readonly string[],
  isFixed: (line: number) => boolean,
  onFound: (before: string, after: string) => void,
): readonly string[] {
  const plain: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (isFixed(i)) {
      plain.push(line);
      continue;
    }
    let end = i;
    while (end < lines.length && !isFixed(end) && ROW.test(lines[end] ?? '')) end++;
    if (end > i && lines.slice(i, end).some((row) => RULE.test(row))) {
      onFound(lines.slice(i, end).join('\n'), '');
      i = end - 1;
      continue;
    }
    const after = DEFINITION.test(line) ? null : withoutLinks(line);
    if (after !== line) onFound(line, after ?? '');
    if (after !== null) plain.push(after);
  }
  return plain;
}

function withoutLinks(line: string): string {
  if (!line.includes('[') && !line.includes('<')) return line;
  for (let before = line; ;) {
    const after = before.replace(INNER, '$1').replace(BARE, '');
    if (after === before) return after;
    before = after;
  }
}

/** Numbers the lines of fenced code. @param isOpen whether a fence is open before the first of them */
export function fencedLines(
  lines: readonly string[],
  isOpen: boolean,
): { fenced: ReadonlySet<number>; isOpen: boolean } {
  const fenced = new Set<number>();
  let open = isOpen;
  for (const [i, line] of lines.entries()) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line);
    if (open || isFence) fenced.add(i);
    if (isFence) open = !open;
  }
  return { fenced, isOpen: open };
}
