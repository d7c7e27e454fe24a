/** `verisim cycle`: base model, then cycle after cycle, in a project folder. */
import { error } from '../../../shared/config/checks.js';
import { onlyCluster, withoutCluster } from '../../../shared/config/cluster.js';
import { isHelper } from '../../jobs/cluster/in-team.js';
import { projectProblems } from '../../jobs/problems.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { closingReport } from '../closing-report.js';
import { defineCommand } from '../command.js';
import { cluster, project } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';

export const command = defineCommand({
  name: 'cycle',
  groups: [...project, cluster],
  positional: 'project',
  aliases: { out_dir: 'project' },
  examples: ['cycle my-book', 'cycle my-book --data_path book.txt --tokenization char --max_cycles 2'],
  problems(config, files, given) {
    // An existing project is held against its own project.json, by the job.
    if (isProject(config.project)) return [];
    const hasText = ['data_path', 'train_bin', 'val_bin', 'input_mode'].some((key) => key in given);
    // Rank 0 has the project and the text, and sends the others what they need.
    if (isHelper(config))
      return projectProblems(config, files).filter(({ code }) => hasText && code !== 'file_not_found');
    if (hasText) return projectProblems(config, files);
    const message = `Not a Verisim project: ${config.project} holds no project.json`;
    const hint = `Check the path, or make the project by giving a text: ${program} cycle ${shellWord(config.project)} --data_path your-text.txt`;
    return [error('file_not_found', 'project', message, hint)];
  },
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (all, context, given) => {
      const settings = withoutCluster(all);
      const cluster = onlyCluster(all);
      const request = { folder: settings.project, settings, given: withoutCluster(given), cluster };
      return cycleJob(request, context);
    };
  },
  report: closingReport,
});
