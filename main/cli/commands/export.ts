/** `verisim export`: a model for another program, or a whole project in one file. */
import { folder, path } from '../../../shared/config/commands.js';
import { join } from 'node:path';
import { parameter } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { modelFileProblems, outputProblems } from '../../../shared/config/checks.js';
import { existingProjectProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { program } from '../../../shared/config/command-line.js';
import { bytes as inBytes } from '../words.js';

const own = {
  model_path: path(
    'folder',
    'Model or project',
    'A trained model: its folder or a file in it, or a project, whose newest model is taken; with --format project the project itself.',
  ),
  format: parameter(z.enum(['huggingface', 'nanogpt', 'project']).default('huggingface'), {
    label: 'Format',
    help: 'huggingface: a folder for AutoModelForCausalLM.from_pretrained; nanogpt: a ckpt.pt for torch.load; project: the whole project in one file.',
  }),
  out_dir: folder('export', 'Output folder', 'Where the files of a model are written.'),
  file: parameter(z.string().min(1).nullable().default(null), {
    label: 'File',
    help: 'Where a project is written; unset means its own name with .verisim.tar, beside it.',
    path: 'file',
  }),
};

export const command = defineCommand({
  name: 'export',
  summary: 'Write a model for another program (Hugging Face transformers, nanoGPT), or a project as one file.',
  about:
    'Writes a model as a Hugging Face folder or as nanoGPT’s ckpt.pt, with its vocabulary when its tokens are characters; it computes the same there as here. With --format project, the whole project goes into one tar file, which import brings back. What is exported stays as it is.',
  groups: [group('Export', own)],
  positional: 'model_path',
  aliases: { output_dir: 'out_dir' },
  examples: [
    'export out --out_dir out-hf',
    'export out --format nanogpt --out_dir out-nanogpt',
    'export my-book --format project',
  ],
  problems({ model_path, out_dir, format }, files) {
    if (format !== 'project') {
      return [...modelFileProblems('model_path', model_path, files), ...outputProblems('out_dir', out_dir, files)];
    }
    return existingProjectProblems('model_path', model_path);
  },
  async job() {
    const { exportProjectJob } = await import('../../jobs/project/archive.js');
    const { exportJob } = await import('../../jobs/commands/export.js');
    return ({ format, ...settings }, context) =>
      format === 'project'
        ? exportProjectJob({ project: settings.model_path, file: settings.file }, context)
        : exportJob({ ...settings, format }, context);
  },
  report({ out_dir, parameters, file, bytes }, style, { format }) {
    const lines =
      format === 'project'
        ? [
            `${style.bold('Exported:')} ${String(file)} (${inBytes(Number(bytes))})`,
            `Bring it back, here or elsewhere, with: ${program} import ${String(file)}`,
          ]
        : [
            `${style.bold('Exported:')} ${String(out_dir)} (${Number(parameters).toLocaleString('en-US')} weights)`,
            `Read it in Python with: ${nextStep(format, String(out_dir))}`,
          ];
    return `${lines.join('\n')}\n`;
  },
});

/** What to try next in Python. */
const nextStep = (format: 'huggingface' | 'nanogpt', folder: string): string =>
  format === 'huggingface'
    ? `AutoModelForCausalLM.from_pretrained(${JSON.stringify(folder)})`
    : `torch.load(${JSON.stringify(join(folder, 'ckpt.pt'))})`;
