/** `verisim serve`: the window in a browser. */
import { t } from '../language.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { defineCommand, group } from '../command.js';

const own = {
  host: parameter(z.string().min(1).default('127.0.0.1'), { option: 'serve.host' }),
  port: parameter(whole(0, 65535).default(0), { option: 'serve.port' }),
  data_dir: parameter(z.string().min(1).optional(), { option: 'serve.data_dir', path: 'folder', advanced: true }),
  projects_dir: parameter(z.string().min(1).optional(), {
    option: 'serve.projects_dir',
    path: 'folder',
    advanced: true,
  }),
};

export const command = defineCommand({
  name: 'serve',
  groups: [group('server', own)],
  examples: ['serve', 'serve --port 8080', 'serve --host 0.0.0.0'],
  job: async () => (await import('../serve.js')).serveJob,
  report: () => `${t('serve.ended')}\n`,
});
