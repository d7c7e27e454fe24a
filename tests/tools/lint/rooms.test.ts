/** The rooms of the walls (tools/lint/rooms.mjs) exist, document themselves, stay short, and export nothing unused. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingRooms, roomOf, rooms } from '../../../tools/lint/rooms.mjs';

const root = join(import.meta.dirname, '../../..');
const MAX_FILES = 20;

/** Every folder below `folder`, itself included, from the root of the repository. */
function foldersIn(folder: string): string[] {
  const inside = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inside.flatMap(({ name }) => foldersIn(`${folder}/${name}`))];
}

const sourcesIn = (folder: string) =>
  readdirSync(join(root, folder)).filter((name) => /\.(ts|vue|mjs|cjs)$/.test(name));

describe('the rooms', () => {
  it('are all there', () => {
    expect(missingRooms(root)).toEqual([]);
    expect(missingRooms(join(root, 'docs'))).toEqual(Object.keys(rooms));
  });

  it.each(Object.keys(rooms))('%s says in a README what it is', (room) => {
    expect(existsSync(join(root, room, 'README.md'))).toBe(true);
  });

  it.each(foldersIn('main'))('%s is short enough to be read', (folder) => {
    expect(sourcesIn(folder).length).toBeLessThanOrEqual(MAX_FILES);
    // What no room holds has no walls.
    if (sourcesIn(folder).length > 0) expect(roomOf(`${folder}/any.ts`)).not.toBeNull();
  });
});

it('what a file exports, another one asks for', () => {
  const folders = ['.', ...['main', 'renderer', 'shared', 'scripts', 'tests', 'tools'].flatMap(foldersIn)];
  const texts = folders.flatMap((folder) =>
    sourcesIn(folder).map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')] as const),
  );
  const filesWith = new Map<string, number>();
  for (const [, text] of texts)
    for (const word of new Set(text.match(/[\w$]+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
  const unused = texts
    .filter(([file]) => !/^(tests|tools)\//.test(file))
    .flatMap(([file, text]) =>
      // Types stay with the functions that take them.
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) ([\w$]+)/gm)].flatMap(([, name = '']) =>
        filesWith.get(name) === 1 ? [`${file}: ${name}`] : [],
      ),
    );
  expect(unused).toEqual([]);
});
