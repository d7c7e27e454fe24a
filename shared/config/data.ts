/** Where the text comes from and how it becomes tokens (specification 2 and 3.2). */
import { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

/** Size of a vocabulary that is learned from a text: the best for a megabyte of a book at equal time. */
export const LEARNED_TOKENS = 1024;

export const dataShape = {
  input_mode: parameter(z.enum(['text', 'binary']).default('text')),
  data_path: parameter(z.string().optional(), { path: 'file' }),
  text_field: parameter(z.string().min(1).default('text'), { advanced: true }),
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
