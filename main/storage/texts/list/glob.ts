/**
 * File name patterns as shells have them: `*` and `?` within a name, `[a-z]`, `{one,two}`, and `**` for any folders.
 * Names that begin with a dot are only matched by a pattern that says the dot. Links to folders are followed where the
 * pattern names them and nowhere else: a link to a folder above would lead round and round, or through the whole disk. What
 * is found is sorted by code unit, so that several files are joined in the same order on every machine.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { globSync } from 'tinyglobby';
import { isPattern } from '../../../../shared/config/input-names.js';

/** Deeper folders are not looked into. */
const MAX_DEPTH = 32;
/** Braces after braces multiply: beyond as many patterns they are left to the library, which looks into more folders. */
const MAX_PATTERNS = 10_000;

/** A letter alone in brackets, which stands for itself. */
const QUOTED = /\[([^!^\]])\]/g;

/** The folder in front of a pattern's first part that is one. */
export function fixedFolder(pattern: string): string {
  const parts = partsOf(pattern);
  return parts.slice(0, parts.findIndex(isPattern)).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

const partsOf = (pattern: string): string[] => pattern.split(path.sep === '\\' ? /[/\\]/ : '/');

/** The files that a pattern names, sorted; folders are left out, and those that cannot be read. */
export function filesMatching(pattern: string): string[] {
  // Each spelled out, so that only the folders that it names are looked into: files chosen in two corners of a disk are
  // written with braces in front of all that is between them.
  const found = spelledOut(pattern).flatMap((one) => (isPattern(one.replace(QUOTED, '')) ? globbed(one) : [one.replace(QUOTED, '$1')])); // oxfmt-ignore
  const once = new Map(found.map((file) => [path.resolve(file), file]));
  return [...once.values()].filter(isFile).sort();
}

function globbed(pattern: string): string[] {
  const folder = fixedFolder(pattern);
  const parts = partsOf(pattern);
  // Of what the library also knows, ranges in braces, round brackets and a "!" in front are plain characters here.
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

/** What is in a folder but for links to other folders; the library knows only how to leave out links to files as well. */
function withoutLinkedFolders(folder: string): fs.Dirent[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() || isFile(path.join(folder, entry.name)));
}

/** A link to a file is one, a link to a folder is none. */
const isFile = (file: string): boolean => {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
};

/** `a{b,c{d,e}}` as `ab`, `acd`, `ace`; braces without a comma or without an end stand for themselves. */
export function spelledOut(pattern: string): readonly string[] {
  let done: readonly string[] = [''];
  for (const choices of choicesOf(pattern)) {
    if (done.length * choices.length > MAX_PATTERNS) return [pattern];
    done = done.flatMap((start) => choices.map((choice) => start + choice));
  }
  return done;
}

/** A pattern's parts, one after the other, each as all that it may be. */
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
