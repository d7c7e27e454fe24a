/** Commands that make, train, list, copy and remove projects. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { error, folderProblems } from '../../../shared/config/checks.js';
import { onlyCluster, withoutCluster } from '../../../shared/config/cluster.js';
import { program } from '../../../shared/config/command-line.js';
import { folder, path, preset } from '../../../shared/config/commands.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { parameter } from '../../../shared/config/parameter.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { isHelper } from '../../jobs/cluster/in-team.js';
import { existingProjectProblems, fileFacts, initialProblems, projectProblems } from '../../jobs/problems.js';
import { sampleModelHere, sampleModelTrouble, sampleSettings } from '../../jobs/project/project-settings.js';
import { projectsHome } from '../../services/files/data-folder.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { closingReport, projectSummary } from '../reports.js';
import { defineCommand, group } from '../command.js';
import { cluster, hardware, project, projectSettings } from '../groups.js';
import { t } from '../language.js';
import { commandText, fixed, table } from '../words.js';

export const newProject = defineCommand({
  name: 'new',
  groups: project,
  positional: 'project',
  aliases: { out_dir: 'project' },
  examples: ['new my-book --data_path book.txt --tokenization char --preset tiny'],
  problems(config, files) {
    if (!isProject(config.project)) return projectProblems(config, files);
    const hint = localized('cli.train_or_choose_another_folder', { command: commandText('cycle', config.project) });
    return [error('exists', 'project', localized('projects.exists_for_new', { project: config.project }), hint)];
  },
  async job() {
    const { newProjectJob } = await import('../../jobs/project/cycle.js');
    return (settings, context, given) => newProjectJob({ folder: settings.project, settings, given }, context);
  },
  report: projectSummary,
});

/** Trains the base model, then cycle after cycle. */
export const cycle = defineCommand({
  name: 'cycle',
  groups: [...project, cluster],
  positional: 'project',
  aliases: { out_dir: 'project' },
  examples: ['cycle my-book', 'cycle my-book --data_path book.txt --tokenization char --max_cycles 2'],
  problems(config, files, given) {
    // The job compares an existing project with its own project.json.
    if (isProject(config.project)) return [];
    const hasText = ['data_path', 'train_bin', 'val_bin', 'input_mode'].some((key) => key in given);
    // Rank 0 has the project and the text, and sends the others what they need.
    if (isHelper(config))
      return projectProblems(config, files).filter(({ code }) => hasText && code !== 'file_not_found');
    if (hasText) return projectProblems(config, files);
    const message = localized('projects.verisim_project_holds_no_project', { folder: config.project });
    const command = commandText('cycle', config.project, '--data_path', 'your-text.txt');
    return [error('file_not_found', 'project', message, localized('cli.check_path_or_make_project', { command }))];
  },
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (all, context, given) => {
      const settings = withoutCluster(all);
      const request = { folder: settings.project, settings, given: withoutCluster(given), cluster: onlyCluster(all) };
      return cycleJob(request, context);
    };
  },
  report: closingReport,
});

/** Trains the newest model on what the user has chosen. */
export const learn = defineCommand({
  name: 'learn',
  groups: [group('learn', { project: path('folder', 'learn.project') })],
  positional: 'project',
  examples: ['learn my-book'],
  problems: ({ project }) => existingProjectProblems('project', project),
  async job() {
    const { requestLearning } = await import('../../jobs/writing/request.js');
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return ({ project }, context) => {
      requestLearning(project);
      return cycleJob({ folder: project, settings: null, given: {} }, context);
    };
  },
  report: closingReport,
});

type Row = Readonly<Record<string, unknown>>;

export const list = defineCommand({
  name: 'list',
  groups: [group('list', { folder: folder('.', 'list.folder') })],
  positional: 'folder',
  examples: ['list', 'list ~/projects'],
  problems: ({ folder }, files) => folderProblems('folder', folder, files),
  job: async () => (await import('../../jobs/project/folders.js')).listJob,
  report({ projects, folder }, style) {
    const rows = projects as readonly Row[];
    if (rows.length === 0) return t('projectList.none', { folder: resolve(String(folder)), program });
    const cells = rows.map((row) => [
      String(row['project']),
      t(`projectList.state.${String(row['state']) as 'new'}`),
      Number(row['cycle'] ?? -1) < 0
        ? '–'
        : t('projectList.cycle_of', { cycle: Number(row['cycle']), cycles: Number(row['max_cycles']) }),
      fixed(row['best_nats_per_character'], 3),
      fixed(row['best_perplexity'], 3),
      String(row['changed'] ?? '–')
        .slice(0, 16)
        .replace('T', ' '),
      row['exact'] === false ? t('projectList.not_exact') : '',
    ]);
    const [heading, ...lines] = table(t('projectList.heading'), cells);
    return [style.bold(heading), ...lines].join('\n');
  },
});

export const clone = defineCommand({
  name: 'clone',
  groups: [
    group('clone', {
      project: path('folder', 'clone.project'),
      to: path('folder', 'clone.to'),
      preset: preset('none'),
    }),
    ...projectSettings,
  ],
  positional: 'project',
  examples: ['clone my-book --to my-book-wider --n_embd 256'],
  problems({ project, to }) {
    const problems = existingProjectProblems('project', project);
    if (problems.length > 0 || !isProject(to)) return problems;
    return [error('exists', 'to', localized('projects.exists', { to }), localized('projects.choose_another_folder'))];
  },
  async job() {
    const { cloneJob } = await import('../../jobs/project/cycle.js');
    return (settings, context, given) => cloneJob({ settings, given }, context);
  },
  report: projectSummary,
});

/** Imports the file that `export --format project` wrote. */
export const importProject = defineCommand({
  name: 'import',
  groups: [
    group('import', {
      file: path('file', 'import.file'),
      project: parameter(z.string().min(1).nullable().default(null), { option: 'import.project', path: 'folder' }),
    }),
  ],
  positional: 'file',
  examples: ['import my-book.verisim', 'import my-book.verisim --project elsewhere/my-book'],
  problems({ file }, files) {
    if (files.kind(file) === 'file') return [];
    const hint = localized('projects.give_file_export_format_project');
    return [error('file_not_found', 'file', localized('projects.file_found', { file }), hint)];
  },
  job: async () => (await import('../../jobs/project/folders.js')).importProjectJob,
  report(results, style) {
    const project = String(results['project']);
    return style.label(t('reports.imported', { project, command: commandText('cycle', project) }));
  },
});

export const remove = defineCommand({
  name: 'rm',
  groups: [
    group('delete', {
      project: path('folder', 'rm.project'),
      force: parameter(z.boolean().default(false), { option: 'rm.force' }),
    }),
  ],
  positional: 'project',
  examples: ['rm my-book', 'rm my-book --force'],
  problems: ({ project }) => existingProjectProblems('project', project),
  job: async () => (await import('../../jobs/project/folders.js')).removeJob,
  report(results, style) {
    const project = String(results['project']);
    const { trash } = results;
    return style.label(
      trash === null ? t('reports.deleted', { project }) : t('reports.in_trash', { project, trash: String(trash) }),
    );
  },
});

const sampleShape = {
  project: parameter(z.string().min(1).optional(), { option: 'start.project', path: 'folder' }),
  init_from: parameter(z.string().min(1).optional(), { option: 'start.init_from', path: 'folder' }),
};
type SampleChoice = z.infer<z.ZodObject<typeof sampleShape>>;

const isFromScratch = (init_from: string | undefined): boolean =>
  init_from !== undefined && initialModelPath({ init_from }) === null;

/** A sample from scratch has its own folder, so that both can be compared. */
const folderOf = ({ project, init_from }: SampleChoice): string =>
  project ?? join(projectsHome('projects'), isFromScratch(init_from) ? 'moby-dick-from-scratch' : 'moby-dick');

/** Announces the work ahead. */
function announcement({ init_from }: SampleChoice, folder: string): Message {
  if (isProject(folder)) return localized('start.resuming', { folder });
  const model = init_from ?? sampleModelHere();
  if (model !== undefined && !isFromScratch(model)) return localized('start.from_model', { folder });
  return localized('start.from_scratch', { folder, trouble: init_from === undefined ? sampleModelTrouble() : null });
}

/** Trains the sample project, from a model that can write (or from scratch) to its last cycle. */
export const start = defineCommand({
  name: 'start',
  groups: [group('project', sampleShape), hardware],
  positional: 'project',
  examples: ['start', 'start --init_from scratch'],
  problems(config) {
    if (isProject(folderOf(config))) return [];
    const model = initialProblems(config, fileFacts);
    const path = sampleTextPath();
    if (existsSync(path)) return model;
    const hint = localized('commands.npm_run_setup_fetches');
    return [error('file_not_found', null, localized('start.no_text', { path }), hint), ...model];
  },
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (config, context, given) => {
      const folder = folderOf(config);
      const { device, threads, init_from } = config;
      const from = init_from === undefined ? {} : { init_from };
      const settings = sampleSettings({ project: folder, device, threads, ...from });
      const message = announcement(config, folder);
      context.emit({ event: 'notice', level: 'info', code: 'sample_project', message });
      return cycleJob({ folder, settings, given }, context);
    };
  },
  report: closingReport,
});
