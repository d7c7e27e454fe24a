/** Commands that describe a text, a dataset, the machine or finished projects, and the window in a browser. */
import { z } from 'zod';
import { folder, previewOwn } from '../../../shared/config/commands.js';
import { ENDPOINT_PORT } from '../../../shared/contract/endpoint.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import { bytes, type Message } from '../../../shared/messages/message.js';
import { runReportFormatNames } from '../../../shared/reports/run-report.js';
import { folderProblems, previewProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, documentLanguage, generation, hardware, machine, network, rewardData, training } from '../groups.js';
import { t } from '../language.js';
import { previewReport } from '../reports.js';
import { fixed } from '../words.js';

export const preview = defineCommand({
  name: 'preview',
  groups: [group('preview', previewOwn), data, network, training, rewardData, generation, machine],
  positional: 'data_path',
  examples: ['preview book.txt --tokenization char', 'preview --data_path "texts/*.txt" --preset small'],
  answers: true,
  problems: previewProblems,
  job: async () => (await import('../../jobs/commands/preview.js')).previewJob,
  report: previewReport,
});

/** Describes a reward dataset in the documented words (specification 3.8). */
export const datasetInfo = defineCommand({
  name: 'dataset_info',
  groups: [group('dataset', { reward_data: folder('data/reward_dataset', 'reward_data') })],
  positional: 'reward_data',
  aliases: { data_dir: 'reward_data', output_dir: 'reward_data' },
  examples: ['dataset_info data/reward_dataset'],
  answers: true,
  problems: ({ reward_data }, files) => folderProblems(reward_data, files),
  job: async () => (await import('../../jobs/commands/dataset-info.js')).datasetInfoJob,
  report: ({ text }) => String(text),
});

/** Describes the machine, its speed, and how to install what is missing. */
export const doctor = defineCommand({
  name: 'doctor',
  groups: [hardware],
  examples: ['doctor', 'doctor --json'],
  answers: true,
  job: async () => (await import('../../jobs/commands/doctor.js')).doctorJob,
  report(results, style) {
    const text = (key: string) => String(results[key]);
    const size = (key: string) => bytes(Number(results[key]));
    const missing = (results['missing'] ?? []) as readonly object[] as readonly { what: Message; fix: string }[];
    return [
      style.label(
        t('doctor.figures', {
          platform: text('platform'),
          processor: text('processor'),
          node: text('node'),
          tensorflow: text('runtime') === 'tensorflow' ? text('tensorflow') : null,
          device: text('device'),
          threads: text('threads'),
          speed: fixed(results['gflops'], 1),
          size: text('matrix_size'),
          memoryFree: size('memory_free'),
          memory: size('memory_total'),
          diskFree: size('disk_free'),
          cache: text('cache'),
        }),
      ),
      '',
      ...(missing.length === 0 ? [style.good(t('doctor.nothing_missing'))] : []),
      ...missing.flatMap(({ what, fix }) => [style.warn(t('doctor.missing', { what })), t('doctor.fix', { fix })]),
    ].join('\n');
  },
});

/** Writes the results of projects and runs to a file for others. */
export const report = defineCommand({
  name: 'report',
  groups: [
    group('report_of_runs', {
      projects: parameter(z.array(z.string().min(1)).min(1), { option: 'report.projects', path: 'folder' }),
      format: parameter(z.enum([...runReportFormatNames, 'tensorboard']).default('html'), { option: 'report.format' }),
      file: parameter(z.string().min(1).nullable().default(null), { option: 'report.file', path: 'file' }),
      language: documentLanguage('report.language'),
    }),
  ],
  positional: 'projects',
  examples: ['report my-book', 'report my-book my-book-wider --file both.html', 'report runs/a --format csv'],
  job: async () => (await import('../../jobs/report/report.js')).writeReport,
  report: ({ file, bytes: size }, style) =>
    style.label(t('reports.written', { file: String(file), size: typeof size === 'number' ? bytes(size) : null })),
});

/** Serves the window to a browser. */
export const serve = defineCommand({
  name: 'serve',
  groups: [
    group('server', {
      host: parameter(z.string().min(1).default('127.0.0.1'), { option: 'serve.host' }),
      port: parameter(whole(0, 65535).default(0), { option: 'serve.port' }),
      api: parameter(z.boolean().default(false), { option: 'serve.api' }),
      api_port: parameter(whole(0, 65535).default(ENDPOINT_PORT), { option: 'serve.api_port' }),
      data_dir: parameter(z.string().min(1).optional(), { option: 'serve.data_dir', path: 'folder', advanced: true }),
      projects_dir: parameter(z.string().min(1).optional(), {
        option: 'serve.projects_dir',
        path: 'folder',
        advanced: true,
      }),
    }),
  ],
  examples: ['serve', 'serve --port 8080', 'serve --host 0.0.0.0', 'serve --api'],
  job: async () => (await import('../serve.js')).serveJob,
  report: () => t('serve.ended'),
});
