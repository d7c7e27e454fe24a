/** Matches shell patterns: `*`, `?`, `[a-z]`, `{one,two}`, `**`. Results are sorted by code unit, as on every machine. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { globSync } from 'tinyglobby';
import { isPattern } from '../../../../shared/config/input-names.js';

const MAX_DEPTH = 32;
/** Braces multiply: beyond as many patterns the library expands them, and searches more folders. */
const MAX_PATTERNS = 10_000;

/** A single letter in brackets, which matches itself. */
const QUOTED = /\[([^!^\]])\]/g;

/** Returns the folder in front of a pattern's first wildcard. */
export function fixedFolder(pattern: string): string {
  const parts = partsOf(pattern);
  return parts.slice(0, parts.findIndex(isPattern)).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

const partsOf = (pattern: string): string[] => pattern.split(path.sep === '\\' ? /[/\\]/ : '/');

/** Returns the files that match a pattern, sorted, without folders and what cannot be read. */
export function filesMatching(pattern: string): string[] {
  // Expanding braces first restricts the search to the folders that they name: files chosen in two corners of a disk share
  // a pattern whose braces span everything in between.
  const found = spelledOut(pattern).flatMap((one) => (isPattern(one.replace(QUOTED, '')) ? globbed(one) : [one.replace(QUOTED, '$1')])); // oxfmt-ignore
  const unique = new Map(found.map((file) => [path.resolve(file), file]));
  return [...unique.values()].filter(isFile).sort();
}

function globbed(pattern: string): string[] {
  const folder = fixedFolder(pattern);
  const parts = partsOf(pattern);
  // Ranges in braces, round brackets and a leading "!", which the library would interpret, are plain characters here.
  const rest = parts
    .slice(parts.findIndex(isPattern))
    .map((part) => (part === '..' ? part : part.replace(/\.(?=\.)/g, '[.]')))
    .join('/')
    .replace(/^!|[()|]/g, '\\$&');
  const found = globSync(rest, {
    cwd: folder,
    deep: MAX_DEPTH,
    expandDirectories: false,
    extglob: false,
    fs: { ...fs, readdirSync: withoutLinkedFolders as unknown as typeof fs.readdirSync },
  });
  const place = folder === '.' && !pattern.startsWith('./') ? '' : folder.endsWith('/') ? folder : `${folder}/`;
  return found.map((file) => `${place}${file}`);
}

/** Lists a folder without links to folders; the library could only omit links to files as well. */
function withoutLinkedFolders(folder: string): fs.Dirent[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() || isFile(path.join(folder, entry.name)));
}

const isFile = (file: string): boolean => {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
};

/** Expands `a{b,c{d,e}}` to `ab`, `acd`, `ace`; braces without a comma or an end are literal. */
export function spelledOut(pattern: string): readonly string[] {
  let done: readonly string[] = [''];
  for (const choices of choicesOf(pattern)) {
    if (done.length * choices.length > MAX_PATTERNS) return [pattern];
    done = done.flatMap((start) => choices.map((choice) => start + choice));
  }
  return done;
}

function choicesOf(pattern: string): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  let from = 0;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] !== '{') continue;
    const braces = bracesAt(pattern, at);
    if (braces === null) continue;
    parts.push([pattern.slice(from, at)], braces.choices.flatMap(spelledOut));
    from = braces.end + 1;
    at = braces.end;
  }
  return [...parts, [pattern.slice(from)]];
}

function bracesAt(pattern: string, start: number): { readonly choices: string[]; readonly end: number } | null {
  const choices: string[] = [];
  let [depth, from] = [0, start + 1];
  for (let at = start; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === '{') depth++;
    if (letter === '}') depth--;
    if ((letter === ',' && depth === 1) || depth === 0) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) return choices.length > 1 ? { choices, end: at } : null;
  }
  return null;
}
