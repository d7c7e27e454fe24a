/** Tokenizers as files give them: a vocabulary in a meta.pkl, and which tokenizer belongs to a dataset. */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { option, say, setting } from '../../../shared/sentence.js';
import { readMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { MAX_PICKLE } from '../../formats/pickle/pickle.js';
import {
  type CharTokenizer,
  chooseTokenization,
  createCharTokenizer,
  loadBpeTokenizer,
  type TokenizationChoice,
  type TokenizationMethod,
  type Tokenizer,
} from '../../engine/tokenizer/index.js';
import { readSmall } from '../disk/file-bytes.js';
import { onFile } from '../disk/file-errors.js';
import { nodeFileOperations as ops } from '../disk/file-operations.js';

/**
 * The tokenizer of a dataset or model.
 * @throws UserError `meta_file` when a character-level one has no readable meta.pkl
 */
export async function loadTokenizer(info: {
  readonly method: TokenizationMethod;
  readonly metaPath?: string | null | undefined;
}): Promise<Tokenizer> {
  if (info.method === 'bpe') return loadBpeTokenizer();
  const metaPath = info.metaPath ?? null;
  if (metaPath === null) {
    throw new UserError({
      code: 'meta_file',
      message: say`${setting('meta_path')} is required when ${setting('tokenization')} is 'char'`,
      hint: say`Specify ${option('meta_path')} when using character tokenization, or use ${option('tokenization')} auto`,
      field: 'meta_path',
    });
  }
  return readMeta(metaPath);
}

/**
 * Which tokenizer belongs to a text or to token files, from the settings and from what lies in their folder.
 * @throws UserError `file_not_readable`
 */
export function chooseFor(
  folder: string,
  options: { readonly tokenization: 'auto' | TokenizationMethod; readonly metaPath?: string | undefined },
): TokenizationChoice {
  const beside = path.join(folder, 'meta.pkl');
  return chooseTokenization({
    tokenization: options.tokenization,
    metaPath: options.metaPath,
    folderName: path.basename(path.resolve(folder)),
    metaInFolder: onFile(beside, 'read', () => ops.kind(beside)) === 'file' ? beside : null,
  });
}

/**
 * The tokenizer whose vocabulary is in a meta.pkl.
 * @throws UserError `meta_file`
 */
export function readMeta(metaPath: string): CharTokenizer {
  if (onFile(metaPath, 'read', () => ops.kind(metaPath)) !== 'file') {
    throw new UserError({
      code: 'meta_file',
      message: `Meta file not found: ${metaPath}`,
      hint: say`Use ${option('tokenization')} auto, which finds a meta.pkl beside the data; name the right one with ${option('meta_path')}; or use ${option('tokenization')} bpe.`,
      field: 'meta_path',
    });
  }
  try {
    return createCharTokenizer(readMetaPickle(readSmall(metaPath, MAX_PICKLE)));
  } catch (error) {
    if (error instanceof UserError && error.code === 'file_damaged') {
      throw new UserError({ ...error.toFault(), code: 'meta_file', field: 'meta_path' }, { cause: error });
    }
    if (!(error instanceof UserError) || error.code !== 'meta_file') throw error;
    throw new UserError({ ...error.toFault(), message: `${metaPath}: ${error.message}` }, { cause: error });
  }
}
