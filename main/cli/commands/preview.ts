/** `verisim preview`: what a text and the settings come to, before anything long begins. */
import { previewOwn } from '../../../shared/config/commands.js';
import { previewProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, network, training, generation, rewardData, machine } from '../groups.js';
import { previewReport } from '../preview-report.js';

export const command = defineCommand({
  name: 'preview',
  groups: [group('preview', previewOwn), data, network, training, rewardData, generation, machine],
  positional: 'data_path',
  examples: ['preview book.txt --tokenization char', 'preview --data_path "texts/*.txt" --preset small'],
  answers: true,
  problems: previewProblems,
  job: async () => (await import('../../jobs/commands/preview.js')).previewJob,
  report: previewReport,
});
