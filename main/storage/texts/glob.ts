/**
 * File name patterns as shells have them: `*` and `?` within a name, `[a-z]`, `{one,two}`, and `**` for any folders.
 * Names that begin with a dot are only matched by a pattern that says the dot. What is found is sorted by code unit, so
 * that several files are joined in the same order on every machine.
 */
import * as path from 'node:path';
import { globSync } from 'tinyglobby';
import { isPattern } from '../../../shared/config/input-names.js';

/** Deeper folders are not looked into: links can make circles. */
const MAX_DEPTH = 32;

/** The folder in front of a pattern's first part that is one. */
export function fixedFolder(pattern: string): string {
  const parts = partsOf(pattern);
  return parts.slice(0, parts.findIndex(isPattern)).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

const partsOf = (pattern: string): string[] => pattern.split(path.sep === '\\' ? /[/\\]/ : '/');

/** The files that a pattern names, sorted; folders are left out, and those that cannot be read. */
export function filesMatching(pattern: string): string[] {
  const folder = fixedFolder(pattern);
  const parts = partsOf(pattern);
  // Of what the library also knows, ranges in braces, round brackets and a "!" in front are plain characters here.
  const rest = parts
    .slice(parts.findIndex(isPattern))
    .map((part) => (part === '..' ? part : part.replace(/\.(?=\.)/g, '[.]')))
    .join('/')
    .replace(/^!|[()|]/g, '\\$&');
  const found = globSync(rest, { cwd: folder, deep: MAX_DEPTH, expandDirectories: false, extglob: false });
  const place = folder === '.' && !pattern.startsWith('./') ? '' : folder.endsWith('/') ? folder : `${folder}/`;
  return found.map((file) => `${place}${file}`).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
