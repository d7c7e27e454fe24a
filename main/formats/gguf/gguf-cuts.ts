/** Maps `tokenizer.ggml.pre` to the pre-tokenizers of a tokenizer.json, and back. (llama.cpp's llama-vocab.cpp) */
import type { Json } from '../../engine/types.js';
import { stableJson } from '../stable-json.js';
import { byteLevel } from '../tokenizer/byte-level-json.js';
import { LLAMA3, QWEN2 } from '../tokenizer/known-patterns.js';

const split = (pattern: string) => ({
  type: 'Sequence',
  pretokenizers: [
    { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
    { ...byteLevel, use_regex: false },
  ],
});

interface Cut {
  readonly pre_tokenizer: Json;
  readonly normalizer?: Json | undefined;
  readonly ignore_merges?: boolean;
}

const gpt2: Cut = { pre_tokenizer: byteLevel };
const digitsApart: Cut = {
  pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, byteLevel] },
};
const qwen2: Cut = { pre_tokenizer: split(QWEN2), normalizer: { type: 'NFC' } };
const llama3: Cut = { pre_tokenizer: split(LLAMA3), ignore_merges: true };

/** By `tokenizer.ggml.pre`; of several names for the same, llama.cpp's converter writes the first. */
export const cuts: Readonly<Record<string, Cut>> = {
  'gpt-2': gpt2,
  olmo: gpt2,
  'phi-2': gpt2,
  smollm: digitsApart,
  starcoder: digitsApart,
  refact: digitsApart,
  qwen2,
  'deepseek-r1-qwen': qwen2,
  'llama-bpe': llama3,
  llama3,
  'llama-v3': llama3,
};

/** Lists the steps, nested or alone, without settings that change no token. */
export function flattened(step: Json | undefined, key: string): readonly Json[] {
  if (typeof step !== 'object' || step === null || Array.isArray(step)) return [];
  const { type, trim_offsets: _, ...rest } = step as Readonly<Record<string, Json>>;
  const within = rest[key];
  if (type === 'Sequence' && Array.isArray(within)) return within.flatMap((one: Json) => flattened(one, key));
  const defaults = type === 'Split' ? { invert: false } : type === 'ByteLevel' ? { use_regex: true } : {};
  return [{ ...defaults, ...rest, type: type ?? null }];
}

const canonical = ({ pre_tokenizer, normalizer, ignore_merges = false }: Cut): string =>
  stableJson([flattened(pre_tokenizer, 'pretokenizers'), flattened(normalizer, 'normalizers'), ignore_merges]);

export function cutName(cut: Cut): string | null {
  const wanted = canonical(cut);
  return Object.entries(cuts).find(([, known]) => canonical(known) === wanted)?.[0] ?? null;
}
