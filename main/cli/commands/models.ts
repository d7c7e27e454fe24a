/** Commands that use a finished model or give it away, and models to start from. */
import { join } from 'node:path';
import { z } from 'zod';
import { formatBytes } from '../../../shared/base/numbers.js';
import { modelFileProblems, outputProblems } from '../../../shared/config/checks.js';
import { shellWord } from '../../../shared/config/command-line.js';
import { folder, modelPath, path } from '../../../shared/config/commands.js';
import {
  exportFormatNames,
  exportFormats,
  ggufTypes,
  type ModelFormat,
} from '../../../shared/config/export-formats.js';
import { readingShape, usualReading } from '../../../shared/config/generation.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import type { ModelEntry } from '../../../shared/contract/models.js';
import { bytes, count, localized } from '../../../shared/messages/message.js';
import { existingProjectProblems, perplexityProblems, sampleProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, machine, reading } from '../groups.js';
import { locale, t } from '../language.js';
import type { Style } from '../style.js';
import { commandText, compact, fixed, grouped, perText, sampleIn, table } from '../words.js';

export const sample = defineCommand({
  name: 'sample',
  groups: [
    group('sample', {
      model_path: modelPath,
      prompt: parameter(z.string().optional(), { option: 'sample.prompt' }),
      num_samples: parameter(whole(1, 10000).default(4), { option: 'sample.num_samples' }),
      max_new_tokens: parameter(whole(1, 1_000_000).default(200), { option: 'sample.max_new_tokens' }),
    }),
    reading,
    machine,
  ],
  positional: 'model_path',
  examples: ['sample out --prompt "Call me" --num_samples 2 --top_p 0.9'],
  answers: true,
  problems: sampleProblems,
  job: async () => (await import('../../jobs/commands/sample.js')).sampleJob,
  report({ samples }, style) {
    const texts = samples as readonly { readonly prompt: string; readonly completion: string }[];
    const rule = `\n${style.dim('─'.repeat(15))}\n`;
    return `${texts.map(({ prompt, completion }) => style.bold(prompt) + completion).join(rule)}\n`;
  },
});

export const perplexity = defineCommand({
  name: 'perplexity',
  groups: [
    group('measure', {
      model_path: modelPath,
      split: parameter(z.enum(['val', 'train']).default('val'), { option: 'perplexity.split' }),
    }),
    data,
    machine,
  ],
  positional: 'model_path',
  examples: ['perplexity out --data_path book.txt'],
  answers: true,
  problems: perplexityProblems,
  job: async () => (await import('../../jobs/commands/perplexity.js')).perplexityJob,
  report: (results) =>
    t('reports.perplexity', {
      text: perText(results),
      loss: fixed(results['loss'], 4),
      perplexity: fixed(results['perplexity'], 3),
      tokens: grouped(results['tokens']),
      sample: sampleIn(results),
    }),
});

/** Exports a model for another program, or a whole project in one file. */
export const exportModel = defineCommand({
  name: 'export',
  groups: [
    group('export', {
      model_path: path('folder', 'export.model_path'),
      format: parameter(z.enum(exportFormatNames).default('huggingface'), { option: 'export.format' }),
      outtype: parameter(z.enum(ggufTypes).default('f16'), { option: 'export.outtype' }),
      temperature: parameter(readingShape.temperature.unwrap().default(usualReading.temperature), {
        option: 'export.temperature',
      }),
      top_p: parameter(readingShape.top_p.unwrap().default(usualReading.top_p), { option: 'export.top_p' }),
      out_dir: folder('export', 'export.out_dir'),
      file: parameter(z.string().min(1).nullable().default(null), { option: 'export.file', path: 'file' }),
    }),
  ],
  positional: 'model_path',
  aliases: { output_dir: 'out_dir' },
  examples: [
    'export out --out_dir out-hf',
    'export my-book --format gguf --outtype q8_0 --out_dir my-book-gguf',
    'export out --format nanogpt --out_dir out-nanogpt',
    'export my-book --format trl --out_dir my-book-trl',
    'export my-book --format project',
  ],
  problems: ({ model_path, out_dir, format }, files) =>
    format === 'project'
      ? existingProjectProblems('model_path', model_path)
      : [...modelFileProblems('model_path', model_path, files), ...outputProblems('out_dir', out_dir, files)],
  async job() {
    const { exportProjectJob } = await import('../../jobs/project/folders.js');
    const { exportJob } = await import('../../jobs/export/export.js');
    return ({ format, ...settings }, context) =>
      format === 'project'
        ? exportProjectJob({ project: settings.model_path, file: settings.file }, context)
        : exportJob({ ...settings, format }, context);
  },
  report({ out_dir, parameters, file, bytes: size }, style, { format }) {
    if (format === 'project') {
      const command = commandText('import', String(file));
      return style.label(t('reports.exported_project', { file: String(file), size: bytes(Number(size)), command }));
    }
    const exported = { folder: String(out_dir), parameters: count(Number(parameters)) };
    const programs = localized(exportFormats.gguf.readBy);
    return [
      style.label(t('reports.exported_model', exported)),
      t(`reports.next_step.${format}`, { path: nextPath[format](exported.folder), programs }),
    ].join('\n');
  },
});

/** The path in the suggestion of what to try next, quoted for a shell or for Python. */
const nextPath: Readonly<Record<ModelFormat, (folder: string) => string>> = {
  gguf: (folder) => shellWord(join(folder, 'Modelfile')),
  huggingface: (folder) => JSON.stringify(folder),
  peft: (folder) => JSON.stringify(folder),
  trl: (folder) => shellWord(join(folder, 'train_trl.py')),
  nanogpt: (folder) => JSON.stringify(join(folder, 'ckpt.pt')),
};

const memoryOf = ({ needs }: ModelEntry, tune: 'full' | 'lora'): string => {
  const found = needs.find((each) => each.tune === tune);
  return found === undefined ? '–' : t('models.memory', { memory: bytes(found.memory), fits: found.fits });
};

function modelList(models: readonly ModelEntry[], place: string, style: Style): string {
  const rows = models.map((entry) => [
    entry.source === 'setup' ? entry.title : entry.id,
    compact(entry.parameters),
    t('models.licence', { licence: entry.licence, isGated: entry.gated }),
    formatBytes(entry.size, locale()),
    t(`models.state.${entry.state}`),
    memoryOf(entry, 'full'),
    memoryOf(entry, 'lora'),
  ]);
  const [heading, ...lines] = table(t('models.heading'), rows);
  const command = commandText('train', '--init_from', models.find(({ source }) => source !== 'setup')?.id ?? '');
  return [style.bold(heading), ...lines, '', t('models.stored_in', { place, command }), ''].join('\n');
}

/** Lists models to start from, fetches one or removes one. */
export const models = defineCommand({
  name: 'models',
  groups: [
    group('models', {
      fetch: parameter(z.string().min(1).optional(), { option: 'models.fetch' }),
      remove: parameter(z.string().min(1).optional(), { option: 'models.remove' }),
    }),
  ],
  examples: ['models', 'models --fetch HuggingFaceTB/SmolLM2-135M', 'models --remove HuggingFaceTB/SmolLM2-135M'],
  job: async () => (await import('../../jobs/commands/models.js')).modelsJob,
  report({ models, place, fetched, removed }, style) {
    if (typeof fetched === 'string') return style.label(t('models.fetched', { name: fetched, place: String(place) }));
    if (typeof removed === 'string') return style.label(t('models.removed', { name: removed }));
    return modelList(models as unknown as readonly ModelEntry[], String(place), style);
  },
});
