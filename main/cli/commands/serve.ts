/** `verisim serve`: the window in a browser. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageFile from '../../../package.json' with { type: 'json' };
import { commandSpecs, serveCommandShape } from '../../../shared/config/commands.js';
import { createDoor } from '../../ipc/door.js';
import { createHandlers } from '../../ipc/handlers/index.js';
import { createHub } from '../../ipc/topics.js';
import { isLoopback } from '../../server/access.js';
import { startServer } from '../../server/index.js';
import { absentSupervisor } from '../../services/absent-supervisor.js';
import { dataFolderAt, defaultDataFolder } from '../../services/data-folder.js';
import { createServices } from '../../services/index.js';
import { createSupervisor } from '../../supervisor/index.js';
import { nodeTrainer } from '../../supervisor/trainer-process.js';
import { defineCommand } from '../command.js';

/** Between two looks at whether Ctrl-C was pressed. */
const POLL_MILLISECONDS = 100;

export const command = defineCommand(serveCommandShape, {
  spec: commandSpecs.serve,
  async run({ host, port, data_dir, projects_dir }, context) {
    const hub = createHub();
    const dataFolder = data_dir ?? defaultDataFolder();
    const trainer = foundAbove('trainer.js');
    const said = (text: string) => services.diagnostics.trainerSaid(text);
    const services = createServices({
      dataFolder,
      projectsFolder: projects_dir ?? process.env['VERISIM_HOME'] ?? 'projects',
      hub,
      supervisor:
        trainer === null
          ? absentSupervisor()
          : createSupervisor({ start: nodeTrainer(trainer, said), queueFile: dataFolderAt(dataFolder).queue }),
      version: packageFile.version,
      now: () => context.now(),
    });
    const say = (level: 'info' | 'warning', code: string, message: string) =>
      context.emit({ event: 'notice', level, code, message });
    const onBug = (channel: string, error: unknown) => {
      services.diagnostics.bug(channel, error);
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say('warning', 'bug', `${channel}: ${message}`);
    };
    try {
      const door = createDoor(createHandlers(services), onBug);
      const server = await startServer({
        door,
        hub,
        uploads: services.uploads,
        renderer: rendererFolder(),
        host,
        port,
      });
      if (!isLoopback(host)) {
        const message = `Listening on ${host}, not encrypted: whoever can read this network can read along.`;
        say('warning', 'not_loopback', message);
      }
      say('info', 'serving', `Verisim is at ${server.address}`);
      say('info', 'serving_help', 'Open this address in a browser; it is for you alone. Ctrl-C ends it.');
      try {
        while (!context.stop.requested) await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
      } finally {
        await server.close();
      }
    } finally {
      await services.close();
    }
    return {};
  },
  report: () => 'Ended.\n',
});

/** A file of the build, seen from wherever in dist/ this one was bundled to. */
function foundAbove(...path: readonly string[]): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, ...path);
    if (existsSync(file)) return file;
  }
  return null;
}

/** The built window; where it would be while it is not built. */
const rendererFolder = (): string =>
  dirname(foundAbove('app', 'renderer', 'index.html') ?? 'dist/app/renderer/index.html');
