/** What answers the window: the same application as `verisim serve` has, in Electron's surroundings. */
import { join } from 'node:path';
import { shell, utilityProcess } from 'electron';
import { createApplication, type Application } from '../application/index.js';
import { defaultDataFolder, projectsHome } from '../services/files/data-folder.js';
import { utilityTrainer } from '../supervisor/trainer-process.js';

interface BackendOptions {
  readonly version: string;
  readonly documents: string;
  readonly trainer: string;
  readonly onBug: (channel: string, error: unknown) => void;
}

export const createBackend = ({ version, documents, trainer, onBug }: BackendOptions): Application =>
  createApplication({
    version,
    dataFolder: defaultDataFolder(),
    projectsFolder: projectsHome(join(documents, 'Verisim')),
    trainer: (onOutput) =>
      utilityTrainer(utilityProcess, trainer, (text) => {
        process.stderr.write(text);
        onOutput(text);
      }),
    now: () => Date.now(),
    trash: (path) => shell.trashItem(path),
    onBug,
  });
