/** The rooms that the walls speak of (tools/lint/rooms.mjs) are there, each says what it is, and none is a long list of files. */
import { existsSync, readdirSync } from 'node:fs';
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
