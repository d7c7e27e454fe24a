/** A project leaves through the dispatcher as one file, and comes back as another project. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProject } from '../../main/storage/projects/project-folder.js';
import { createWorld } from './world.js';

const world = createWorld();
afterAll(() => world.close());

it('is exported, and imported beside itself', async () => {
  const { services, folder } = world;
  const id = services.registry.idOf(world.makeProject('book'));
  const file = join(folder, 'book.verisim.tar');
  const { bytes } = await world.ask('projects.export', { id, file: services.files.give(file, 'write').handle });
  expect(bytes).toBeGreaterThan(1000);
  const imported = (await world.ask('projects.import', { file: services.files.give(file).handle })) as { id: string };
  expect(imported.id).not.toBe(id);
  expect(openProject(services.projects.folderOf(imported.id)).name).toBe('book');

  writeFileSync(file, 'something else');
  await expect(world.ask('projects.import', { file: services.files.give(file).handle })).rejects.toMatchObject({
    code: 'file_damaged',
  });
  // A handle that was given for reading is none for writing.
  const readOnly = services.files.give(join(folder, 'other.tar')).handle;
  await expect(world.ask('projects.export', { id, file: readOnly })).rejects.toMatchObject({ code: 'file_not_found' });
  expect(world.bugs).toEqual([]);
});
