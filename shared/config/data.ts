/** Where the text comes from and how it becomes tokens (specification 2 and 3.2). */
import { z } from 'zod';
import { listOf, parameter, real, whole } from './parameter.js';

/** Size of a vocabulary that is learned from a text: the best for a megabyte of a book at equal time. */
export const LEARNED_TOKENS = 1024;

/** What the stage *clean* changes in texts; `keep` names what it leaves as it is. */
export const cleanings = [
  ...(['licence', 'front', 'lines', 'hyphens', 'pages', 'markdown', 'times', 'duplicates', 'parts'] as const),
] as const;
export type Cleaning = (typeof cleanings)[number];
/** What earlier versions left as it is: their projects name nothing. */
export const keptBefore = 'lines,hyphens,pages,markdown,duplicates,parts';
export const isCleaned = (keep: string, cleaning: Cleaning): boolean => !keep.split(',').includes(cleaning);

export const dataShape = {
  input_mode: parameter(z.enum(['text', 'binary']).default('text')),
  data_path: parameter(z.string().optional(), { path: 'file' }),
  text_field: parameter(z.string().min(1).default('text'), { advanced: true }),
  keep: parameter(listOf(cleanings), { of: cleanings }),
  held_out: parameter(z.string().min(1).default('auto')),
  train_bin: parameter(z.string().optional(), { path: 'file' }),
  val_bin: parameter(z.string().optional(), { path: 'file' }),
  tokenization: parameter(z.enum(['auto', 'suited', 'bpe', 'char', 'learned', 'pretrained', 'shared']).default('auto')),
  meta_path: parameter(z.string().optional(), { path: 'file' }),
  tokenizer_path: parameter(z.string().optional(), { path: 'file', advanced: true }),
  vocab: parameter(whole(257, 65_536).optional(), { advanced: true }),
  train_split: parameter(real(0.01, 0.99).default(0.9)),
};

export const dataConfigSchema = z.object(dataShape);
export type DataConfig = z.infer<typeof dataConfigSchema>;
