/** Where the text comes from and how it becomes tokens (specification 2 and 3.2). */
import { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

/** Size of a vocabulary that is learned from a text: the best for a megabyte of a book at equal time. */
export const LEARNED_TOKENS = 1024;

export const dataShape = {
  input_mode: parameter(z.enum(['text', 'binary']).default('text'), {
    label: 'Input',
    help: '{text} reads a raw text file; {binary} reads train.bin and val.bin that were prepared before.',
    choices: { text: 'A text', binary: 'Prepared tokens' },
  }),
  data_path: parameter(z.string().optional(), {
    label: 'Text file',
    help: 'The text to learn from: a file, a folder (its input.txt, or else every text in it and its subfolders), or a pattern such as "texts/*.txt" (only with {input_mode=text}). Plain text, .jsonl and .parquet are read, also packed with gzip or zstd, and the text of .html, .epub, .docx and .pdf.',
    path: 'file',
  }),
  text_field: parameter(z.string().min(1).default('text'), {
    label: 'Text field',
    help: 'The field of a .jsonl file, or the column of a .parquet file, that holds the text.',
    advanced: true,
  }),
  train_bin: parameter(z.string().optional(), {
    label: 'train.bin',
    help: 'Prepared training tokens, uint16 little-endian, or uint32 with a header (only with {input_mode=binary}).',
    path: 'file',
  }),
  val_bin: parameter(z.string().optional(), {
    label: 'val.bin',
    help: 'Prepared validation tokens, uint16 little-endian, or uint32 with a header (only with {input_mode=binary}).',
    path: 'file',
  }),
  tokenization: parameter(
    z.enum(['auto', 'suited', 'bpe', 'char', 'learned', 'pretrained', 'shared']).default('auto'),
    {
      label: 'Tokenization',
      help: '{char}: one token per character. {bpe}: GPT-2’s word pieces. {learned}: word pieces learned from this text. {pretrained}: as a pretrained model does it. {shared}: the tokens of the critic’s model (critic_from) that this text uses most. {auto}: {char} beside a meta.pkl or in a folder named char, {pretrained} beside a tokenizer.json, else {bpe}. {suited}: as {auto} beside such files, else {char}, {learned} or {bpe} by the size of the text and the model.',
      choices: {
        auto: 'As nanoGPT does',
        suited: 'Automatic',
        bpe: 'GPT-2’s word pieces',
        char: 'Characters',
        learned: 'Learned from the text',
        pretrained: 'Pretrained',
        shared: 'The teacher’s',
      },
    },
  ),
  meta_path: parameter(z.string().optional(), {
    label: 'meta.pkl',
    help: 'Vocabulary of a character-level dataset, as nanoGPT writes it.',
    path: 'file',
  }),
  tokenizer_path: parameter(z.string().optional(), {
    label: 'Tokenizer',
    help: 'The tokenizer of a pretrained model: its tokenizer.json, the folder that holds it, or its GGUF file.',
    path: 'file',
    advanced: true,
  }),
  vocab: parameter(whole(257, 65_536).optional(), {
    label: 'Number of tokens',
    help: 'With {tokenization=learned} or {tokenization=shared}: how many tokens there are; unless set, 1,024 or 1,536. Of these, 257 are the bytes and the end of a text. More make a text shorter and the model larger; a short text may not have so many.',
    advanced: true,
  }),
  train_split: parameter(real(0.01, 0.99).default(0.9), {
    label: 'Training share',
    help: 'Share of the text to train on; the rest is held out to measure honestly.',
  }),
};

export const dataConfigSchema = z.object(dataShape);
export type DataConfig = z.infer<typeof dataConfigSchema>;
