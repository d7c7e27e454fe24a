/** `verisim list`: the projects in a folder. */
import { t } from '../../language.js';
import { folder } from '../../../../shared/config/commands.js';
import { folderProblems } from '../../../../shared/config/checks.js';
import { defineCommand, group } from '../../command.js';
import { program } from '../../../../shared/config/command-line.js';
import { fixed, table } from '../../words.js';

type Row = Readonly<Record<string, unknown>>;

const own = { folder: folder('.', 'list.folder') };

export const command = defineCommand({
  name: 'list',
  groups: [group('list', own)],
  positional: 'folder',
  examples: ['list', 'list ~/projects'],
  problems: ({ folder }, files) => folderProblems('folder', folder, files),
  job: async () => (await import('../../../jobs/project/list.js')).listJob,
  report({ projects, folder }, style) {
    const rows = projects as readonly Row[];
    if (rows.length === 0) {
      return `${t('projectList.none', { folder: String(folder), program })}\n`;
    }
    const cells = rows.map((row) => [
      String(row['project']),
      String(row['state']),
      Number(row['cycle']) < 0 || row['cycle'] === undefined
        ? '-'
        : t('projectList.cycle_of', { cycle: Number(row['cycle']), cycles: Number(row['max_cycles']) }),
      fixed(row['best_nats_per_character'], 3),
      fixed(row['best_perplexity'], 3),
      String(row['changed'] ?? '-')
        .slice(0, 16)
        .replace('T', ' '),
      row['exact'] === false ? t('projectList.not_exact') : '',
    ]);
    const heading = [...t('projectList.heading').split('|'), ''];
    const lines = table([heading, ...cells]).split('\n');
    return `${lines.map((line, index) => (index === 0 ? style.bold(line) : line).trimEnd()).join('\n')}\n`;
  },
});
