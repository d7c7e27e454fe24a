/** What `verisim serve` does: starts the server, says where it is, and ends it cleanly. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageFile from '../../package.json' with { type: 'json' };
import { createApplication } from '../application/index.js';
import { isLoopback } from '../server/access.js';
import { startServer } from '../server/index.js';
import { defaultDataFolder, projectsHome } from '../services/files/data-folder.js';
import { nodeTrainer } from '../supervisor/trainer-process.js';
import type { Job } from '../jobs/types.js';

/** Between two looks at whether Ctrl-C was pressed. */
const POLL_MILLISECONDS = 100;

interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly data_dir?: string | undefined;
  readonly projects_dir?: string | undefined;
}

export const serveJob: Job<ServeSettings> = async ({ host, port, data_dir, projects_dir }, context) => {
  const say = (level: 'info' | 'warning', code: string, message: string) =>
    context.emit({ event: 'notice', level, code, message });
  const program = foundAbove('trainer.js');
  const { dispatcher, bus, services } = createApplication({
    version: packageFile.version,
    dataFolder: data_dir ?? defaultDataFolder(),
    projectsFolder: projects_dir ?? projectsHome('projects'),
    trainer: program === null ? null : (onOutput) => nodeTrainer(program, onOutput),
    now: () => context.now(),
    onBug(channel, error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say('warning', 'bug', `${channel}: ${message}`);
    },
  });
  try {
    const server = await startServer({
      dispatcher,
      bus,
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
};

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
