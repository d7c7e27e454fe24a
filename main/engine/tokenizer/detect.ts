/**
 * Chooses the tokenizer of a dataset (specification 2.1, "Auto-Detection Logic"): a meta.pkl in the data folder means
 * char, then a tokenizer.json pretrained, then a folder whose name contains "char" means char, else bpe; or, for `suited`,
 * the best for the text and the model. The reason comes along in words.
 */
import { suitedTokens, type ModelSize, type TextSize } from '../../../shared/config/suited-tokens.js';
import type { TokenizationMethod } from './types.js';

/** The setting: a tokenizer learned from the text, or cut down to it, is stored and used as a pretrained one. */
export type WantedTokenization = 'auto' | 'suited' | 'learned' | 'shared' | TokenizationMethod;

interface TokenizationSetting {
  readonly tokenization: WantedTokenization;
  /** The meta.pkl of the setting. */
  readonly metaPath?: string | null | undefined;
  /** The pretrained tokenizer of the setting: its file, or the folder of its model. */
  readonly tokenizerPath?: string | null | undefined;
  /** The last part of the data folder's path. */
  readonly folderName: string;
  /** The meta.pkl in the data folder, or null. */
  readonly metaInFolder: string | null;
  /** The tokenizer.json in the data folder, or null. */
  readonly tokenizerInFolder?: string | null;
  /** For `suited`; without them, bpe. */
  readonly text?: TextSize | null;
  readonly model?: ModelSize | undefined;
}

export interface TokenizationChoice {
  readonly method: TokenizationMethod;
  /** The vocabulary to read; null for bpe, and for char if it is made from the text. */
  readonly metaPath: string | null;
  /** The tokenizer to read, for pretrained. */
  readonly tokenizerPath?: string | null;
  /** The tokenizer is learned from the text. */
  readonly isLearned?: true;
  /** The tokenizer is the part of another model's that the text uses. */
  readonly isShared?: true;
  /** The number of tokens, if the setting leaves it open. */
  readonly vocab?: number;
  readonly reason: string;
}

const pretrained = (tokenizerPath: string | null) => ({ method: 'pretrained', metaPath: null, tokenizerPath }) as const;
const char = (metaPath: string | null) => ({ method: 'char', metaPath }) as const;

export function chooseTokenization(setting: TokenizationSetting): TokenizationChoice {
  const { tokenization, folderName, metaInFolder, tokenizerInFolder = null } = setting;
  const named = setting.metaPath ?? null;
  const tokenizer = setting.tokenizerPath ?? null;
  switch (tokenization) {
    case 'learned':
      return { ...pretrained(null), isLearned: true, reason: 'learned was asked for' };
    case 'shared':
      return { ...pretrained(null), isShared: true, reason: 'shared was asked for' };
    case 'pretrained': {
      const path = tokenizer ?? tokenizerInFolder;
      return { ...pretrained(path), reason: `pretrained was asked for${path === null ? '' : `, with ${path}`}` };
    }
    case 'bpe':
      return { method: 'bpe', metaPath: null, reason: 'bpe was asked for' };
    case 'char': {
      const source =
        named !== null
          ? `with the vocabulary ${named}`
          : metaInFolder !== null
            ? `with the vocabulary beside the data, ${metaInFolder}`
            : 'with a vocabulary made from the text';
      return { ...char(named ?? metaInFolder), reason: `char was asked for, ${source}` };
    }
  }
  if (named !== null) return { ...char(named), reason: `char, because meta_path names ${named}` };
  if (tokenizer !== null)
    return { ...pretrained(tokenizer), reason: `pretrained, because tokenizer_path names ${tokenizer}` };
  if (metaInFolder !== null)
    return { ...char(metaInFolder), reason: `char, because there is a meta.pkl: ${metaInFolder}` };
  if (tokenizerInFolder !== null) {
    const reason = `pretrained, because there is a tokenizer.json: ${tokenizerInFolder}`;
    return { ...pretrained(tokenizerInFolder), reason };
  }
  if (folderName.toLowerCase().includes('char'))
    return { ...char(null), reason: `char, because the folder's name, ${folderName}, contains "char"` };
  if (tokenization === 'suited' && setting.text) return suited(setting.text, setting.model ?? {});
  const reason = 'bpe, because there is no meta.pkl and no "char" in the folder\'s name';
  return { method: 'bpe', metaPath: null, reason };
}

function suited(text: TextSize, model: ModelSize): TokenizationChoice {
  const { method, vocab, reason } = suitedTokens(text, model);
  const because = `${method}, because ${reason}`;
  if (method !== 'learned') return { method, metaPath: null, reason: because };
  return { ...pretrained(null), isLearned: true, reason: because, ...(vocab === undefined ? {} : { vocab }) };
}
