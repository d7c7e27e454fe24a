/** Opens a prepared dataset (specification 2.2): train.bin, val.bin, meta.pkl. All checks happen before training. */
import * as path from 'node:path';
import type { Message } from '../../../shared/messages/message.js';
import type { TokenizationMethod, Tokenizer } from '../../engine/tokenizer/index.js';
import type { TokenSource } from '../../engine/types.js';
import { openTokenFile } from './token-files.js';
import { chooseFor, loadTokenizer, type TokenizationOptions } from './tokenizer-files.js';

export interface PreparedData {
  readonly trainPath: string;
  readonly valPath: string;
  /** The vocabulary of a character-level dataset; null for others. */
  readonly metaPath: string | null;
  /** The tokenizer.json of a dataset in a pretrained model's tokens; null for others. */
  readonly tokenizerPath: string | null;
  readonly tokenizer: Tokenizer;
  readonly method: TokenizationMethod;
  readonly reason: Message;
  readonly trainTokens: number;
  readonly valTokens: number;
  readonly notes: readonly string[];
  readonly input: string;
}

/** A dataset whose token files are open. */
export interface OpenData extends PreparedData {
  readonly train: TokenSource;
  readonly val: TokenSource;
  close(): void;
}

/** Opens and checks a dataset; `close` it. @throws UserError `file_not_found`, `binary_file`, `meta_file` */
export async function openBinaryData(
  options: {
    readonly trainBin: string;
    readonly valBin: string;
  } & TokenizationOptions,
): Promise<OpenData> {
  const { trainBin, valBin } = options;
  // Both are looked at before the vocabulary, so that a wrong path is named first, and read through after it.
  openTokenFile(trainBin, { split: 'train' }).close();
  openTokenFile(valBin, { split: 'val' }).close();
  const { method, metaPath, tokenizerPath = null, reason } = chooseFor(path.dirname(trainBin), options);
  const tokenizer = await loadTokenizer({ method, metaPath, tokenizerPath });
  const { vocabSize } = tokenizer;
  const train = openTokenFile(trainBin, { split: 'train', vocabSize });
  try {
    const val = openTokenFile(valBin, { split: 'val', vocabSize });
    return {
      trainPath: trainBin,
      valPath: valBin,
      metaPath,
      tokenizerPath,
      tokenizer,
      method,
      reason,
      trainTokens: train.length,
      valTokens: val.length,
      notes: [train.note, val.note].filter((note) => note !== null),
      input: 'token files',
      train,
      val,
      close() {
        train.close();
        val.close();
      },
    };
  } catch (error) {
    train.close();
    throw error;
  }
}
