/** `verisim preview`: what a text and the settings come to, before anything long begins. */
import { previewOwn } from '../../../shared/config/commands.js';
import { previewProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, network, training, generation, rewardData, machine } from '../groups.js';
import { previewReport } from '../preview-report.js';

export const command = defineCommand({
  name: 'preview',
  summary: 'Look at a text before training: tokens, samples, an example, warnings, time and disk.',
  about:
    'Reads the beginning of the text and shows what it and the settings come to: first lines, tokens and vocabulary, the longest repeated piece, how many samples the reward dataset would have, one of them, and about how long it all takes and how much disk it needs. Nothing is written.',
  groups: [group('Preview', previewOwn), data, network, training, rewardData, generation, machine],
  positional: 'data_path',
  examples: ['preview book.txt --tokenization char', 'preview --data_path "texts/*.txt" --preset small'],
  answers: true,
  problems: previewProblems,
  job: async () => (await import('../../jobs/commands/preview.js')).previewJob,
  report: previewReport,
});
