/** What answers the window: the same services and handlers as `verisim serve` has, opened for Electron. */
import { basename, join } from 'node:path';
import { shell, utilityProcess } from 'electron';
import { createDoor, type Door } from '../ipc/door.js';
import { createHandlers } from '../ipc/handlers/index.js';
import { createHub, type Hub } from '../ipc/topics.js';
import { defaultDataFolder } from '../services/data-folder.js';
import { createServices, type Services } from '../services/index.js';
import { createSupervisor } from '../supervisor/index.js';
import { utilityTrainer } from '../supervisor/trainer-process.js';

export interface Backend {
  readonly door: Door;
  readonly hub: Hub;
  readonly services: Services;
  /** The name of the project that trains, if one does. */
  training(): string | null;
}

export interface BackendOptions {
  readonly version: string;
  /** The person's documents. */
  readonly documents: string;
  /** The bundled main/trainer.ts. */
  readonly trainer: string;
  readonly onTrainerOutput: (text: string) => void;
  readonly onBug: (channel: string, error: unknown) => void;
}

export function createBackend(options: BackendOptions): Backend {
  const { version, documents, trainer, onTrainerOutput, onBug } = options;
  const hub = createHub();
  const dataFolder = defaultDataFolder();
  const supervisor = createSupervisor({
    start: utilityTrainer(utilityProcess, trainer, onTrainerOutput),
    queueFile: join(dataFolder, 'queue.json'),
  });
  const services = createServices({
    dataFolder,
    projectsFolder: process.env['VERISIM_HOME'] ?? join(documents, 'Verisim'),
    hub,
    supervisor,
    version,
    now: () => Date.now(),
    trash: (path) => shell.trashItem(path),
  });
  const door = createDoor(createHandlers(services), (channel, error) => {
    services.diagnostics.bug(channel, error);
    onBug(channel, error);
  });
  return {
    door,
    hub,
    services,
    training() {
      const running = services.supervisor.queue().entries.find(({ state }) => state !== 'waiting');
      return running === undefined ? null : basename(running.folder);
    },
  };
}
