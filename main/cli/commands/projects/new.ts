/** `verisim new`: a project folder, with its text prepared and every setting checked. */
import { localized } from '../../../../shared/messages/message.js';
import { error } from '../../../../shared/config/checks.js';
import { projectProblems } from '../../../jobs/problems.js';
import { isProject } from '../../../storage/projects/project-paths.js';
import { projectSummary } from '../../closing-report.js';
import { defineCommand } from '../../command.js';
import { project } from '../../groups.js';
import { program, shellWord } from '../../../../shared/config/command-line.js';

export const command = defineCommand({
  name: 'new',
  groups: project,
  positional: 'project',
  aliases: { out_dir: 'project' },
  examples: ['new my-book --data_path book.txt --tokenization char --preset tiny'],
  problems(config, files) {
    if (!isProject(config.project)) return projectProblems(config, files);
    const hint = `Train it with: ${program} cycle ${shellWord(config.project)}; or choose another folder.`;
    return [error('exists', 'project', localized('projects.exists_for_new', { project: config.project }), hint)];
  },
  async job() {
    const { newProjectJob } = await import('../../../jobs/project/cycle.js');
    return (settings, context, given) => newProjectJob({ folder: settings.project, settings, given }, context);
  },
  report: projectSummary,
});
