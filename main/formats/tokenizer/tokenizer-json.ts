/** Reads a tokenizer.json with byte-pair encoding; unknown steps are refused by name. (Rust crate `tokenizers`) */
import { z } from 'zod';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { PretrainedSpec } from '../../engine/tokenizer/pretrained.js';
import { damaged, notUsable } from '../faults.js';
import { quoted, shorten } from '../shorten.js';
import { tokenizerValues } from './limits.js';
import { readNormalizer, readPreTokenizer } from './tokenizer-steps.js';

const MAX_VOCABULARY = 1 << 20;

const flag = z.boolean().default(false);
const addedToken = z.object({
  id: z
    .int()
    .min(0)
    .max(MAX_VOCABULARY - 1),
  content: z.string().max(1 << 12),
  single_word: flag,
  lstrip: flag,
  rstrip: flag,
  normalized: flag,
  special: flag,
});

/** Everything but the long lists of the model, which are checked by hand. */
const fileSchema = z.object({
  added_tokens: z
    .array(addedToken)
    .max(1 << 16)
    .default([]),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
  model: z.object({
    type: z.string().default('BPE'),
    vocab: z.unknown().optional(),
    merges: z.unknown().optional(),
    unk_token: z.string().nullable().default(null),
    fuse_unk: flag,
    byte_fallback: flag,
    ignore_merges: flag,
    continuing_subword_prefix: z.string().nullable().default(null),
    end_of_word_suffix: z.string().nullable().default(null),
    dropout: z.number().nullable().default(null),
  }),
});

/** Reads a tokenizer.json. @throws UserError `file_damaged`; `checkpoint` naming what is not supported */
export function readTokenizerJson(text: string, what: string): PretrainedSpec {
  const file = parse(text, what);
  const { model } = file;
  const unsupported = (why: Message) => notUsable(what, why, localized('tokenizer.use_model_whose_tokenizer_byte'));
  if (model.type !== 'BPE') throw unsupported(localized('tokenizer.kind', { type: quoted(model.type) }));
  if ((model.continuing_subword_prefix ?? '') !== '' || (model.end_of_word_suffix ?? '') !== '')
    throw unsupported(localized('tokenizer.affixes'));
  if ((model.dropout ?? 0) > 0) throw unsupported(localized('tokenizer.dropout'));
  const fail = { damaged: (why: Message) => damaged(what, why), unsupported };
  const steps = readPreTokenizer(file.pre_tokenizer ?? null, fail);
  const normalizer = readNormalizer(file.normalizer ?? null, fail);
  if (normalizer.prefix !== null && steps.prefix !== null) throw unsupported(localized('tokenizer.prefixes'));
  const ids = readVocabulary(model.vocab, what);
  const tokens = tokensById(ids, what);
  const unknown = model.unk_token === null ? null : (ids.get(model.unk_token) ?? addedId(file, model.unk_token));
  return {
    tokens,
    merges: readMerges(model.merges, ids, what),
    addedTokens: file.added_tokens
      .filter(({ content }) => content !== '')
      .map(({ id, content, single_word, lstrip, rstrip, normalized, special }) => ({
        id,
        content,
        singleWord: single_word,
        stripLeft: lstrip,
        stripRight: rstrip,
        isNormalized: normalized,
        isSpecial: special,
      })),
    alphabet: steps.alphabet,
    fallsBackToBytes: model.byte_fallback,
    unknown,
    joinsUnknown: model.fuse_unk,
    takesWhole: model.ignore_merges,
    cutsLikeGpt2: steps.cutsLikeGpt2,
    cuts: steps.cuts,
    writesBlanks: steps.writesBlanks,
    prefix: normalizer.prefix ?? steps.prefix,
    normalize: normalizer.normalize,
  };
}

type File = z.infer<typeof fileSchema>;

const addedId = ({ added_tokens }: File, token: string): number | null =>
  added_tokens.find(({ content }) => content === token)?.id ?? null;

function parse(text: string, what: string): File {
  let json: unknown;
  try {
    json = tokenizerValues(text);
  } catch (cause) {
    throw damaged(what, localized('damage.json'), { cause });
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw damaged(what, localized('damage.field', { name: shorten(parsed.error.issues[0]?.path.join('.') ?? '') }));
}

function readVocabulary(vocab: unknown, what: string): ReadonlyMap<string, number> {
  if (typeof vocab !== 'object' || vocab === null || Array.isArray(vocab) || Object.keys(vocab).length === 0)
    throw damaged(what, localized('tokenizer.noVocabulary'));
  const ids = new Map<string, number>();
  for (const token of Object.keys(vocab)) {
    const id = (vocab as Readonly<Record<string, unknown>>)[token];
    if (!Number.isInteger(id) || (id as number) < 0 || (id as number) >= MAX_VOCABULARY) {
      throw damaged(what, localized('tokenizer.id', { token: quoted(token), id: shorten(JSON.stringify(id) ?? '') }));
    }
    ids.set(token, id as number);
  }
  return ids;
}

function tokensById(ids: ReadonlyMap<string, number>, what: string): (string | null)[] {
  let most = 0;
  for (const id of ids.values()) most = Math.max(most, id);
  const tokens = new Array<string | null>(most + 1).fill(null);
  for (const [token, id] of ids) {
    const other = tokens[id];
    if (typeof other === 'string')
      throw damaged(what, localized('tokenizer.sameId', { first: quoted(other), second: quoted(token) }));
    tokens[id] = token;
  }
  return tokens;
}

function readMerges(merges: unknown, ids: ReadonlyMap<string, number>, what: string): PretrainedSpec['merges'] {
  if (!Array.isArray(merges)) throw damaged(what, localized('damage.missing', { name: 'model.merges' }));
  const count = merges.length;
  const [left, right, made] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let i = 0; i < count; i++) {
    const merge: unknown = merges[i];
    const pair: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : [];
    const [a = '', b = ''] = pair.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
    const [first, second, joint] = [ids.get(a), ids.get(b), ids.get(a + b)];
    if (pair.length !== 2 || first === undefined || second === undefined || joint === undefined)
      throw damaged(what, localized('tokenizer.merge', { at: i, first: quoted(a), second: quoted(b) }));
    left[i] = first;
    right[i] = second;
    made[i] = joint;
  }
  return { left, right, made };
}
