/**
 * What answers the window, put together: no Electron, no sockets, no TensorFlow in it. The desktop app and
 * `verisim serve` make one each, and open the door (main/ipc) to it.
 */
import { rmSync } from 'node:fs';
import type { Hub } from '../ipc/topics.js';
import { dataFolderAt, type DataFolder } from './data-folder.js';
import { createDrafts, type Drafts } from './drafts.js';
import { createFileHandles, type FileHandles } from './file-handles.js';
import { createProjects, type Projects } from './projects.js';
import { createRegistry, type Registry } from './registry.js';
import { createSettings, type SettingsService } from './settings.js';
import { createUploads, type Uploads } from './uploads.js';

export interface ServicesOptions {
  /** The app's own folder; `defaultDataFolder()` for people. */
  readonly dataFolder: string;
  /** For new projects, until the person chooses another. */
  readonly projectsFolder: string;
  readonly hub: Hub;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Services extends Pick<ServicesOptions, 'hub' | 'version' | 'now'> {
  readonly data: DataFolder;
  readonly files: FileHandles;
  readonly uploads: Uploads;
  readonly settings: SettingsService;
  readonly registry: Registry;
  readonly projects: Projects;
  readonly drafts: Drafts;
  close(): Promise<void>;
}

export function createServices({ dataFolder, projectsFolder, hub, version, now }: ServicesOptions): Services {
  const data = dataFolderAt(dataFolder);
  const files = createFileHandles();
  const settings = createSettings(data, projectsFolder, (changed) => hub.publish('settings.changed', changed));
  const registry = createRegistry(data, settings.projectsFolder);
  const drafts = createDrafts(data, files, now);
  const uploads = createUploads(data, files);
  const used = drafts.list().flatMap(({ id }) => Object.values(drafts.stored(id).given).map(String));
  uploads.tidy(new Set(used), now());
  return {
    hub,
    version,
    now,
    data,
    files,
    uploads,
    settings,
    registry,
    projects: createProjects(registry),
    drafts,
    async close() {
      rmSync(data.downloads, { recursive: true, force: true });
    },
  };
}
