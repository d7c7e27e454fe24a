/**
 * Which tokenizer a dataset uses (specification 2.1, "Auto-Detection Logic"): a meta.pkl in the data folder means
 * char, then a tokenizer.json pretrained, then a folder whose name contains "char" means char, else bpe; or, for `suited`,
 * what the text and the model are best served with. The reason comes along in words.
 */
import { suitedTokens, type ModelSize, type TextSize } from '../../../shared/config/suited-tokens.js';
import type { TokenizationMethod } from './types.js';

/** What can be asked for: a tokenizer learned from the text, or cut down to it, is kept, and used ever after, as a pretrained one. */
export type WantedTokenization = 'auto' | 'suited' | 'learned' | 'shared' | TokenizationMethod;

interface TokenizationSetting {
  readonly tokenization: WantedTokenization;
  /** A meta.pkl that the person named. */
  readonly metaPath?: string | null | undefined;
  /** A pretrained tokenizer that the person named: its file, or the folder of its model. */
  readonly tokenizerPath?: string | null | undefined;
  /** The last part of the data folder's path. */
  readonly folderName: string;
  /** The meta.pkl that lies in the data folder, or null. */
  readonly metaInFolder: string | null;
  /** The tokenizer.json that lies there, or null. */
  readonly tokenizerInFolder?: string | null;
  /** For `suited`, where nothing beside the text decides; without them, bpe. */
  readonly text?: TextSize | null;
  readonly model?: ModelSize | undefined;
}

export interface TokenizationChoice {
  readonly method: TokenizationMethod;
  /** The vocabulary to read, or null: for bpe, and for char when one is to be made from the text. */
  readonly metaPath: string | null;
  /** The tokenizer to read, for pretrained. */
  readonly tokenizerPath?: string | null;
  /** It is to be learned from the text. */
  readonly isLearned?: true;
  /** It is the part that the text uses of another model's. */
  readonly isShared?: true;
  /** How many tokens, where that was not said. */
  readonly vocab?: number;
  readonly reason: string;
}

export function chooseTokenization(setting: TokenizationSetting): TokenizationChoice {
  const { tokenization, folderName, metaInFolder, tokenizerInFolder = null } = setting;
  const named = setting.metaPath ?? null;
  const tokenizer = setting.tokenizerPath ?? null;
  if (tokenization === 'learned') return { ...pretrained(null), isLearned: true, reason: 'learned was asked for' };
  if (tokenization === 'shared') return { ...pretrained(null), isShared: true, reason: 'shared was asked for' };
  if (tokenization === 'pretrained') {
    const path = tokenizer ?? tokenizerInFolder;
    return { ...pretrained(path), reason: `pretrained was asked for${path === null ? '' : `, with ${path}`}` };
  }
  if (tokenization === 'bpe') return { method: 'bpe', metaPath: null, reason: 'bpe was asked for' };
  if (tokenization === 'char') {
    const source =
      named !== null
        ? `with the vocabulary ${named}`
        : metaInFolder !== null
          ? `with the vocabulary beside the data, ${metaInFolder}`
          : 'with a vocabulary made from the text';
    return { method: 'char', metaPath: named ?? metaInFolder, reason: `char was asked for, ${source}` };
  }
  if (named !== null) return { method: 'char', metaPath: named, reason: `char, because meta_path names ${named}` };
  if (tokenizer !== null) {
    return { ...pretrained(tokenizer), reason: `pretrained, because tokenizer_path names ${tokenizer}` };
  }
  if (metaInFolder !== null) {
    return { method: 'char', metaPath: metaInFolder, reason: `char, because there is a meta.pkl: ${metaInFolder}` };
  }
  if (tokenizerInFolder !== null) {
    const reason = `pretrained, because there is a tokenizer.json: ${tokenizerInFolder}`;
    return { ...pretrained(tokenizerInFolder), reason };
  }
  if (folderName.toLowerCase().includes('char')) {
    return {
      method: 'char',
      metaPath: null,
      reason: `char, because the folder's name, ${folderName}, contains "char"`,
    };
  }
  if (tokenization === 'suited' && setting.text) return suited(setting.text, setting.model ?? {});
  return {
    method: 'bpe',
    metaPath: null,
    reason: 'bpe, because there is no meta.pkl and no "char" in the folder\'s name',
  };
}

function suited(text: TextSize, model: ModelSize): TokenizationChoice {
  const { method, vocab, reason } = suitedTokens(text, model);
  const because = `${method}, because ${reason}`;
  if (method !== 'learned') return { method, metaPath: null, reason: because };
  return { ...pretrained(null), isLearned: true, reason: because, ...(vocab === undefined ? {} : { vocab }) };
}

const pretrained = (tokenizerPath: string | null) => ({ method: 'pretrained', metaPath: null, tokenizerPath }) as const;
