/**
 * The specification's older function load_and_split_data (specification 4.1): a text in, the tokens of both splits and the
 * tokenizer out. It splits as everything else here does: by characters, before anything is encoded, as nanoGPT's
 * prepare.py, so that the splits are those of a model that was trained on the text.
 */
import * as path from 'node:path';
import type { TokenizationMethod, Tokenizer } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { makeTemporaryFolder } from '../disk/temporary-folder.js';
import { prepareText } from './prepare-text.js';
import { openTokenFile } from './token-files.js';

interface SplitText {
  readonly trainTokens: TokenIds;
  readonly valTokens: TokenIds;
  readonly tokenizer: Tokenizer;
}

/**
 * All tokens of a text in memory: for scripts and small texts; training itself reads token files by position.
 * @param dataPath a text file, a folder of texts, or a pattern
 * @throws UserError as `prepareText`
 */
export async function loadAndSplitData(
  dataPath: string,
  options: {
    readonly trainSplit?: number;
    readonly tokenization?: 'auto' | TokenizationMethod;
    readonly metaPath?: string;
  } = {},
): Promise<SplitText> {
  const { trainSplit = 0.9, tokenization = 'auto', metaPath } = options;
  const folder = makeTemporaryFolder('split');
  try {
    const data = await prepareText({
      dataPath,
      trainSplit,
      tokenization,
      metaPath,
      outDir: path.join(folder.path, 'data'),
    });
    const [trainTokens, valTokens] = [data.trainPath, data.valPath].map(readAll) as [TokenIds, TokenIds];
    return { trainTokens, valTokens, tokenizer: data.tokenizer };
  } finally {
    folder.remove();
  }
}

function readAll(file: string): TokenIds {
  const tokens = openTokenFile(file);
  try {
    return tokens.read(0, tokens.length);
  } finally {
    tokens.close();
  }
}
