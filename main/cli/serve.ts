/** Starts the server for `verisim serve`, prints its address, and closes it at Ctrl-C. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageFile from '../../package.json' with { type: 'json' };
import { UserError } from '../../shared/errors.js';
import { localized, verbatim, type Message } from '../../shared/messages/message.js';
import { createApplication } from '../application/index.js';
import type { Job } from '../jobs/types.js';
import { isLoopback } from '../server/access.js';
import { startEndpoint } from '../server/endpoint.js';
import { startServer } from '../server/index.js';
import { defaultDataFolder, projectsHome } from '../services/files/data-folder.js';
import { nodeTrainer } from '../supervisor/trainer-process.js';

const POLL_MILLISECONDS = 100;
const LOOPBACK = '127.0.0.1';

interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly api: boolean;
  readonly api_port: number;
  readonly data_dir?: string | undefined;
  readonly projects_dir?: string | undefined;
}

export const serveJob: Job<ServeSettings> = async ({ host, port, data_dir, projects_dir, ...endpoint }, context) => {
  const notify = (level: 'info' | 'warning', code: string, message: Message) =>
    context.emit({ event: 'notice', level, code, message });
  const program = builtFile('trainer.js');
  const { dispatcher, bus, services } = createApplication({
    version: packageFile.version,
    dataFolder: data_dir ?? defaultDataFolder(),
    projectsFolder: projects_dir ?? projectsHome('projects'),
    trainer: program === null ? null : (onOutput) => nodeTrainer(program, onOutput),
    now: () => context.now(),
    onBug(channel, error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      notify('warning', 'bug', verbatim(`${channel}: ${reason}`));
    },
  });
  try {
    const renderer = dirname(builtFile('app', 'renderer', 'index.html') ?? 'dist/app/renderer/index.html');
    const server = await startServer({ dispatcher, bus, uploads: services.uploads, renderer, host, port });
    if (!isLoopback(host)) notify('warning', 'not_loopback', localized('serve.not_encrypted', { host }));
    notify('info', 'serving', localized('serve.address', { address: server.address }));
    notify('info', 'serving_help', localized('serve.open'));
    // The switch in the settings opens it to this machine alone.
    const at = { services, host: endpoint.api ? host : LOOPBACK, port: endpoint.api_port };
    await services.endpoint.provide((token) => startEndpoint({ ...at, token }), endpoint.api);
    const { address, token, fault } = await services.endpoint.describe();
    if (fault && endpoint.api) throw new UserError(fault);
    if (address !== null) notify('info', 'endpoint', localized('serve.endpoint', { address, token: token ?? '' }));
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

/** Finds a file of the build above this one, wherever in dist/ it was bundled to. */
function builtFile(...path: readonly string[]): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, ...path);
    if (existsSync(file)) return file;
  }
  return null;
}
