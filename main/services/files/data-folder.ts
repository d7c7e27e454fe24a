/** The app's own folder: settings, which projects are known, drafts, uploads. Projects themselves live elsewhere. */
import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../installation/environment.mjs';

export type DataFolder = ReturnType<typeof dataFolderAt>;

export function dataFolderAt(folder: string) {
  const inside = (name: string) => join(folder, name);
  return {
    folder,
    settings: inside('settings.json'),
    projects: inside('projects.json'),
    deleted: inside('deleted.json'),
    speeds: inside('speeds.json'),
    familiarities: inside('familiarities.json'),
    /** What trains and what waits, for when the app is closed or killed. */
    queue: inside('queue.json'),
    /** What other programs identify themselves with. */
    endpointToken: inside('endpoint.token'),
    log: inside('log.jsonl'),
    drafts: inside('drafts'),
    uploads: inside('uploads'),
    downloads: inside('downloads'),
  };
}

/** Where the system keeps data of programs; the window, the server and the terminal share it. */
export function defaultDataFolder(): string {
  const home = homeFolder();
  if (process.platform === 'win32') return join(process.env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Verisim');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'Verisim');
  const xdg = process.env['XDG_DATA_HOME'];
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.local', 'share'), 'verisim');
}

/** Where new projects are made, unless the person says otherwise: `usual` here, or what the system's owner has set. */
export const projectsHome = (usual: string): string => process.env['VERISIM_HOME'] ?? usual;
