/**
 * The forms in which a model or a project can be given away, each declared once: the command line's --format and its help,
 * and what the window offers, follow.
 */

import type { MessageCode } from '../messages/message.js';

interface ExportFormat {
  readonly label: MessageCode;
  readonly readBy: MessageCode;
  /** One sentence: what it is, and for whom. */
  readonly help: MessageCode;
  /** Whether it is one file or a folder; null: the whole project, which `export` writes as one file too. */
  readonly of: 'model' | 'project';
}

export const exportFormats = {
  gguf: {
    label: 'export_format.gguf.label',
    readBy: 'export_format.gguf.readBy',
    help: 'export_format.gguf.help',
    of: 'model',
  },
  huggingface: {
    label: 'export_format.huggingface.label',
    readBy: 'export_format.huggingface.readBy',
    help: 'export_format.huggingface.help',
    of: 'model',
  },
  peft: {
    label: 'export_format.peft.label',
    readBy: 'export_format.peft.readBy',
    help: 'export_format.peft.help',
    of: 'model',
  },
  nanogpt: {
    label: 'export_format.nanogpt.label',
    readBy: 'export_format.nanogpt.readBy',
    help: 'export_format.nanogpt.help',
    of: 'model',
  },
  trl: {
    label: 'export_format.trl.label',
    readBy: 'export_format.trl.readBy',
    help: 'export_format.trl.help',
    of: 'model',
  },
  project: {
    label: 'export_format.project.label',
    readBy: 'export_format.project.readBy',
    help: 'export_format.project.help',
    of: 'project',
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof exportFormats;
export type ModelFormat = Exclude<ExportFormatName, 'project'>;
export const exportFormatNames = Object.keys(exportFormats) as [ExportFormatName, ...ExportFormatName[]];
export const modelFormats = exportFormatNames.filter((name): name is ModelFormat => exportFormats[name].of === 'model');

/** How a GGUF file keeps its matrices, by llama.cpp's names. */
export const ggufTypes = ['f16', 'q8_0'] as const;
export type GgufType = (typeof ggufTypes)[number];
