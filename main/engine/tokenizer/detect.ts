/**
 * Chooses the tokenizer of a dataset (specification 2.1, "Auto-Detection Logic"): a meta.pkl in the data folder means
 * char, then a tokenizer.json pretrained, then a folder whose name contains "char" means char, else bpe; or, for `suited`,
 * the best for the text and the model.
 */
import { localized, type Message } from '../../../shared/messages/message.js';
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
  /** For `suited`. */
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
  readonly reason: Message;
}

type Method = 'bpe' | 'char' | 'learned' | 'pretrained' | 'shared';

const because = (
  reason: 'characters' | 'default' | 'file' | 'folderName' | 'metaPath' | 'requested' | 'tokenizerPath',
  method: Method,
  params: { readonly path?: string | null; readonly folder?: string } = {},
) => localized(`tokens.reason.${reason}`, { method: localized(`tokens.method.${method}`), ...params });
const pretrained = (path: string | null) => ({ method: 'pretrained', metaPath: null, tokenizerPath: path }) as const;
const char = (metaPath: string | null) => ({ method: 'char', metaPath }) as const;
const bpe = { method: 'bpe', metaPath: null } as const;

export function chooseTokenization(setting: TokenizationSetting): TokenizationChoice {
  const { tokenization, folderName: folder, metaInFolder: meta, tokenizerInFolder = null } = setting;
  const named = setting.metaPath ?? null;
  const tokenizer = setting.tokenizerPath ?? null;
  switch (tokenization) {
    case 'learned':
      return { ...pretrained(null), isLearned: true, reason: because('requested', 'learned') };
    case 'shared':
      return { ...pretrained(null), isShared: true, reason: because('requested', 'shared') };
    case 'pretrained': {
      const path = tokenizer ?? tokenizerInFolder;
      return { ...pretrained(path), reason: because('requested', 'pretrained', { path }) };
    }
    case 'bpe':
      return { ...bpe, reason: because('requested', 'bpe') };
    case 'char':
      return { ...char(named ?? meta), reason: because('characters', 'char', { path: named ?? meta }) };
  }
  if (named !== null) return { ...char(named), reason: because('metaPath', 'char', { path: named }) };
  if (tokenizer !== null)
    return { ...pretrained(tokenizer), reason: because('tokenizerPath', 'pretrained', { path: tokenizer }) };
  if (meta !== null) return { ...char(meta), reason: because('file', 'char', { path: meta }) };
  if (tokenizerInFolder !== null) {
    const reason = because('file', 'pretrained', { path: tokenizerInFolder });
    return { ...pretrained(tokenizerInFolder), reason };
  }
  if (folder.toLowerCase().includes('char'))
    return { ...char(null), reason: because('folderName', 'char', { folder }) };
  if (tokenization === 'suited' && setting.text) return suited(setting.text, setting.model ?? {});
  return { ...bpe, reason: because('default', 'bpe') };
}

function suited(text: TextSize, model: ModelSize): TokenizationChoice {
  const { method, vocab, reason } = suitedTokens(text, model);
  if (method !== 'learned') return { method, metaPath: null, reason };
  return { ...pretrained(null), isLearned: true, reason, ...(vocab === undefined ? {} : { vocab }) };
}
