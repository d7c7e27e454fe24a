/** Finds the tokens that start and end a text. (transformers, tokenization_utils_base.py) */
import type { PretrainedSpec } from '../../engine/tokenizer/index.js';
import { parseBoundedJson } from '../bounded-json.js';
import { tokenizerValues } from './limits.js';

export interface SpecialIds {
  readonly bos: number | null;
  readonly eos: number | null;
  readonly pad: number | null;
  /** Whether a text that is encoded begins with `bos`. */
  readonly addBos: boolean;
}

export const noSpecialIds: SpecialIds = { bos: null, eos: null, pad: null, addBos: false };

type Fields = Readonly<Record<string, unknown>>;

/** Returns the JSON object of a file; empty if there is none, since these files are optional. */
export function fieldsOf(text: string | undefined, parse: (text: string) => unknown = parseBoundedJson): Fields {
  if (text === undefined) return {};
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** @param files tokenizer_config.json, generation_config.json and tokenizer.json by name, if present */
export function specialIds(files: Readonly<Record<string, string>>, spec: PretrainedSpec): SpecialIds {
  const ids = new Map<unknown, number>(spec.tokens.map((token, id) => [token, id]));
  for (const { content, id } of spec.addedTokens) ids.set(content, id);
  const named = fieldsOf(files['tokenizer_config.json']);
  const numbered = fieldsOf(files['generation_config.json']);
  const idOf = (name: string): number | null => {
    const token = named[`${name}_token`];
    const id = ids.get(typeof token === 'object' ? (token as Fields | null)?.['content'] : token);
    if (id !== undefined) return id;
    const listed = numbered[`${name}_token_id`];
    const first: unknown = Array.isArray(listed) ? listed[0] : listed;
    return typeof first === 'number' && Number.isInteger(first) && first >= 0 && first < ids.size ? first : null;
  };
  const first = ids.get(firstOf(fieldsOf(files['tokenizer.json'], tokenizerValues)['post_processor'])) ?? null;
  const bos = idOf('bos') ?? first;
  const adds = typeof named['add_bos_token'] === 'boolean' ? named['add_bos_token'] : first !== null && first === bos;
  return { bos, eos: idOf('eos'), pad: idOf('pad'), addBos: adds };
}

/** Finds the special token that a post-processor puts before a text: the first piece of its template. */
function firstOf(processor: unknown): unknown {
  const { processors, single } = (processor ?? {}) as Fields;
  if (Array.isArray(processors)) return processors.map(firstOf).find((token) => token !== undefined);
  const [piece] = Array.isArray(single) ? (single as { readonly SpecialToken?: Fields }[]) : [];
  return piece?.SpecialToken?.['id'];
}
