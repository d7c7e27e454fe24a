/** `verisim serve`: the window in a browser. */
import { parameter, whole } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { defineCommand, group } from '../command.js';

const own = {
  host: parameter(z.string().min(1).default('127.0.0.1'), {
    label: 'Host',
    help: 'The address to listen on. The default can be reached from this machine alone; from elsewhere, use a tunnel such as ssh -L, since the connection is not encrypted.',
  }),
  port: parameter(whole(0, 65535).default(0), {
    label: 'Port',
    help: 'The port to listen on; 0 takes one that is free.',
  }),
  data_dir: parameter(z.string().min(1).optional(), {
    label: 'Data folder',
    help: 'Where settings, drafts and the list of projects are kept; unset means the same as the desktop app.',
    path: 'folder',
    advanced: true,
  }),
  projects_dir: parameter(z.string().min(1).optional(), {
    label: 'Projects folder',
    help: 'Where new projects are made, until the settings say otherwise; unset means $VERISIM_HOME, or ./projects.',
    path: 'folder',
    advanced: true,
  }),
};

export const command = defineCommand({
  name: 'serve',
  summary: 'Show the window in a browser: on this machine, or on a machine without a screen.',
  about:
    'Serves the window to a browser and prints its address, with a token that lets only you in. Training continues while no browser is open; Ctrl-C stops it cleanly with a checkpoint.',
  groups: [group('Server', own)],
  examples: ['serve', 'serve --port 8080', 'serve --host 0.0.0.0'],
  job: async () => (await import('../serve.js')).serveJob,
  report: () => 'Ended.\n',
});
