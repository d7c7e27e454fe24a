// The question at quitting has the project's name, not its folder's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createApplication } from '../../main/application/index.js';
import { projectConfigOf } from '../../main/jobs/project/project-settings.js';
import { createProject } from '../../main/storage/projects/project-folder.js';
import { projectSettings } from '../ipc/world.js';

it('the project that trains is called by its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-application-'));
  const project = join(folder, 'projects', 'moby-dick');
  const settings = projectSettings({ project, data_path: join(folder, 'book.txt'), preset: 'nano' });
  createProject(project, projectConfigOf(settings), { name: 'Moby-Dick, again', verisim_version: '1.2.3' });
  const application = createApplication({
    dataFolder: join(folder, 'data'),
    projectsFolder: join(folder, 'projects'),
    version: '1.2.3',
    now: () => Date.now(),
    trainer: null,
    onBug: vi.fn(),
  });
  expect(application.training()).toBeNull();
  vi.spyOn(application.services.supervisor, 'queue').mockReturnValue({
    entries: [{ folder: project, state: 'running' }],
    interrupted: [],
  });
  expect(application.training()).toBe('Moby-Dick, again');
  await application.services.close();
  rmSync(folder, { recursive: true, force: true });
});
