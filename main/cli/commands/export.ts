/** `verisim export`: a model for another program, or a whole project in one file. */
import { localized } from '../../../shared/messages/message.js';
import { typed } from '../../../shared/sentence.js';
import { grouped } from '../words.js';
import { inWords } from '../../storage/disk/disk.js';
import { folder, path } from '../../../shared/config/commands.js';
import { join } from 'node:path';
import {
  exportFormatNames,
  exportFormats,
  ggufTypes,
  type ModelFormat,
} from '../../../shared/config/export-formats.js';
import { parameter } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { modelFileProblems, outputProblems } from '../../../shared/config/checks.js';
import { existingProjectProblems } from '../../jobs/problems.js';
import { readingShape, usualReading } from '../../../shared/config/generation.js';
import { defineCommand, group } from '../command.js';
import { program, shellWord } from '../../../shared/config/command-line.js';

const own = {
  model_path: path('folder', 'export.model_path'),
  format: parameter(z.enum(exportFormatNames).default('huggingface'), { option: 'export.format' }),
  outtype: parameter(z.enum(ggufTypes).default('f16'), { option: 'export.outtype' }),
  temperature: parameter(readingShape.temperature.unwrap().default(usualReading.temperature), {
    option: 'export.temperature',
  }),
  top_p: parameter(readingShape.top_p.unwrap().default(usualReading.top_p), { option: 'export.top_p' }),
  out_dir: folder('export', 'export.out_dir'),
  file: parameter(z.string().min(1).nullable().default(null), { option: 'export.file', path: 'file' }),
};

export const command = defineCommand({
  name: 'export',
  groups: [group('export', own)],
  positional: 'model_path',
  aliases: { output_dir: 'out_dir' },
  examples: [
    'export out --out_dir out-hf',
    'export my-book --format gguf --outtype q8_0 --out_dir my-book-gguf',
    'export out --format nanogpt --out_dir out-nanogpt',
    'export my-book --format trl --out_dir my-book-trl',
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
    const { exportJob } = await import('../../jobs/export/export.js');
    return ({ format, ...settings }, context) =>
      format === 'project'
        ? exportProjectJob({ project: settings.model_path, file: settings.file }, context)
        : exportJob({ ...settings, format }, context);
  },
  report({ out_dir, parameters, file, bytes }, style, { format }) {
    const lines =
      format === 'project'
        ? [
            `${style.bold('Exported:')} ${String(file)} (${inWords(Number(bytes))})`,
            `Bring it back, here or elsewhere, with: ${program} import ${shellWord(String(file))}`,
          ]
        : [
            `${style.bold('Exported:')} ${String(out_dir)} (${grouped(Number(parameters))} weights)`,
            nextStep[format](String(out_dir)),
          ];
    return `${lines.join('\n')}\n`;
  },
});

/** What to try next. */
const nextStep: Readonly<Record<ModelFormat, (folder: string) => string>> = {
  gguf: (folder) =>
    `Run it with: ollama create my-model -f ${shellWord(join(folder, 'Modelfile'))}, or open it in ${typed(localized(exportFormats.gguf.readBy))}`,
  huggingface: (folder) => `Read it in Python with: AutoModelForCausalLM.from_pretrained(${JSON.stringify(folder)})`,
  peft: (folder) => `Read it in Python with: PeftModel.from_pretrained(base, ${JSON.stringify(folder)})`,
  trl: (folder) =>
    `Train it on with: pip install torch transformers datasets trl && python ${shellWord(join(folder, 'train_trl.py'))}`,
  nanogpt: (folder) => `Read it in Python with: torch.load(${JSON.stringify(join(folder, 'ckpt.pt'))})`,
};
