/** `verisim import`: a project from the file that `verisim export --format project` wrote. */
import { t } from '../../language.js';
import { localized } from '../../../../shared/messages/message.js';
import { path } from '../../../../shared/config/commands.js';
import { parameter } from '../../../../shared/config/parameter.js';
import { z } from 'zod';
import { error } from '../../../../shared/config/checks.js';
import { defineCommand, group } from '../../command.js';
import { program, shellWord } from '../../../../shared/config/command-line.js';

const own = {
  file: path('file', 'import.file'),
  project: parameter(z.string().min(1).nullable().default(null), { option: 'import.project', path: 'folder' }),
};

export const command = defineCommand({
  name: 'import',
  groups: [group('import', own)],
  positional: 'file',
  examples: ['import my-book.verisim', 'import my-book.verisim --project elsewhere/my-book'],
  problems: ({ file }, files) =>
    files.kind(file) === 'file'
      ? []
      : [
          error(
            'file_not_found',
            'file',
            localized('projects.file_found', { file }),
            localized('projects.give_file_export_format_project'),
          ),
        ],
  job: async () => (await import('../../../jobs/project/archive.js')).importProjectJob,
  report: ({ project }, style) =>
    `${style.bold(t('reports.imported'))} ${String(project)}\n${t('reports.resume_with', { command: `${program} cycle ${shellWord(String(project))}` })}\n`,
});
