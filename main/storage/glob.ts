/**
 * File name patterns as shells have them: `*` and `?` within a name, `[a-z]`, `{one,two}`, and `**` for any folders.
 * Names that begin with a dot are only matched by a pattern that says the dot. Node has this itself from version 22 on;
 * the result here is sorted by code unit, so that several files are joined in the same order on every machine.
 */
import * as path from 'node:path';
import { isPattern } from '../../shared/config/input-names.js';
import { onFile } from './file-errors.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';

/** Deeper folders are not looked into: links can make circles. */
const DEEPEST = 32;

/** The files that a pattern names, sorted; folders are left out. */
export function filesMatching(pattern: string, ops: FileOperations = nodeFileOperations): string[] {
  const found = new Set<string>();
  for (const plain of alternatives(pattern)) {
    const parts = plain.split(path.sep === '\\' ? /[/\\]/ : '/').filter((part, i) => part !== '' || i === 0);
    const isAbsolute = parts[0] === '' && plain.startsWith('/');
    walk(isAbsolute ? '/' : '', isAbsolute ? parts.slice(1) : parts, 0, found, ops);
  }
  return [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function walk(folder: string, parts: readonly string[], depth: number, found: Set<string>, ops: FileOperations): void {
  const [part, ...rest] = parts;
  if (part === undefined || depth > DEEPEST) return;
  const join = (name: string): string => (folder === '' ? name : folder === '/' ? `/${name}` : `${folder}/${name}`);
  const visit = (name: string): void => {
    const file = join(name);
    const kind = ops.kind(file);
    if (rest.length === 0) {
      if (kind === 'file') found.add(file);
    } else if (kind === 'folder') walk(file, rest, depth + 1, found, ops);
  };
  if (part === '**') {
    walk(folder, rest.length === 0 ? ['*'] : rest, depth, found, ops);
    for (const name of listed(folder, ops)) {
      if (!name.startsWith('.') && ops.kind(join(name)) === 'folder') walk(join(name), parts, depth + 1, found, ops);
    }
    return;
  }
  if (!isPattern(part)) {
    visit(part);
    return;
  }
  const expression = nameExpression(part);
  for (const name of listed(folder, ops)) {
    if (expression.test(name) && (!name.startsWith('.') || part.startsWith('.'))) visit(name);
  }
}

const listed = (folder: string, ops: FileOperations): readonly string[] => {
  const place = folder === '' ? '.' : folder;
  return onFile(place, 'read', () => (ops.kind(place) === 'folder' ? ops.list(place) : []));
};

/** One part of a pattern, without braces, as an expression that matches whole names. */
function nameExpression(part: string): RegExp {
  let source = '';
  for (let i = 0; i < part.length; i++) {
    const character = part[i] ?? '';
    const close = character === '[' ? part.indexOf(']', i + 2) : -1;
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (close > 0) {
      const inside = part.slice(i + 1, close).replace(/[\\\]^[]/g, '\\$&');
      source += inside.startsWith('!') ? `[^/${inside.slice(1)}]` : `[${inside}]`;
      i = close;
    } else source += character.replace(/[\\^$.|+(){}[\]]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return /^\b$/; // a range such as [z-a] matches nothing
  }
}

/** `a{b,c}` as `ab` and `ac`; braces may stand in braces. A brace without its partner is a plain character. */
function alternatives(pattern: string): string[] {
  const open = pattern.indexOf('{');
  if (open < 0) return [pattern];
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      choices.push(pattern.slice(start, i));
      start = i + 1;
    } else if (character === '}' && --depth === 0) {
      choices.push(pattern.slice(start, i));
      const [before, after] = [pattern.slice(0, open), alternatives(pattern.slice(i + 1))];
      return choices.flatMap(alternatives).flatMap((choice) => after.map((rest) => `${before}${choice}${rest}`));
    }
  }
  return [pattern];
}
