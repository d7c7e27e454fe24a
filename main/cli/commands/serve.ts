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
import { defaultDataFolder } from '../../services/data-folder.js';
import { createServices } from '../../services/index.js';
import { defineCommand } from '../command.js';

/** Between two looks at whether Ctrl-C was pressed. */
const POLL_MILLISECONDS = 100;

export const command = defineCommand(serveCommandShape, {
  spec: commandSpecs.serve,
  async run({ host, port, data_dir, projects_dir }, context) {
    const hub = createHub();
    const services = createServices({
      dataFolder: data_dir ?? defaultDataFolder(),
      projectsFolder: projects_dir ?? process.env['VERISIM_HOME'] ?? 'projects',
      hub,
      supervisor: absentSupervisor(),
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

/** The built window: dist/app/renderer, seen from wherever this file was bundled to. */
function rendererFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); dirname(folder) !== folder; folder = dirname(folder)) {
    const built = join(folder, 'dist', 'app', 'renderer');
    if (existsSync(join(folder, 'package.json')) || existsSync(built)) return built;
  }
  return join('dist', 'app', 'renderer');
}
