/** What answers the window: the same application as `verisim serve` has, in Electron's surroundings. */
import { join } from 'node:path';
import { shell, utilityProcess } from 'electron';
import { ENDPOINT_PORT } from '../../shared/contract/endpoint.js';
import { createApplication, type Application } from '../application/index.js';
import { startEndpoint } from '../server/endpoint.js';
import { defaultDataFolder, projectsHome } from '../services/files/data-folder.js';
import { utilityTrainer, type OnOutput } from '../supervisor/trainer-process.js';
import { withTrainerWindow } from './trainer-window.js';

interface BackendOptions {
  readonly version: string;
  readonly documents: string;
  readonly trainer: string;
  readonly onBug: (channel: string, error: unknown) => void;
}

export function createBackend({ version, documents, trainer, onBug }: BackendOptions): Application {
  const application = createApplication({
    version,
    dataFolder: defaultDataFolder(),
    projectsFolder: projectsHome(join(documents, 'Verisim')),
    trainer(onOutput) {
      const log: OnOutput = (text) => {
        process.stderr.write(text);
        onOutput(text);
      };
      return withTrainerWindow(utilityTrainer(utilityProcess, trainer, log), trainer, log);
    },
    now: () => Date.now(),
    trash: (path) => shell.trashItem(path),
    onBug,
  });
  const { services } = application;
  const at = { services, host: '127.0.0.1', port: ENDPOINT_PORT };
  void services.endpoint.provide((token) => startEndpoint({ ...at, token }));
  return application;
}
