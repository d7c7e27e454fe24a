/**
 * What tensors of Llama's family are called in GGUF and by Hugging Face, and the order of their rows: for `llama`, and
 * only for it, llama.cpp stores the rows of queries and keys with the two halves of each head in turns, since it rotates
 * neighbours where transformers rotates halves. (gguf-py's tensor_mapping.py; `permute` in convert_hf_to_gguf.py.)
 */

/** Hugging Face's name to GGUF's. */
const outside: Readonly<Record<string, string>> = {
  'model.embed_tokens.weight': 'token_embd.weight',
  'model.norm.weight': 'output_norm.weight',
  'lm_head.weight': 'output.weight',
};

/** The same inside a layer, without `.weight` or `.bias`. */
const inLayer: Readonly<Record<string, string>> = {
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

const turned = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([one, other]) => [other, one]));
const [outsideBack, inLayerBack] = [turned(outside), turned(inLayer)];

const own = (names: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;

/** @returns null for a tensor that the family does not have */
export function toHuggingFaceName(gguf: string): string | null {
  const [, layer = '', part = '', kind = ''] = /^blk\.(0|[1-9]\d{0,4})\.(\w+)\.(weight|bias)$/.exec(gguf) ?? [];
  const inside = own(inLayerBack, part);
  return own(outsideBack, gguf) ?? (inside === undefined ? null : `model.layers.${layer}.${inside}.${kind}`);
}

/** @returns null for a tensor that the family does not have */
export function toGgufName(huggingFace: string): string | null {
  const match = /^model\.layers\.(0|[1-9]\d{0,4})\.([\w.]+)\.(weight|bias)$/.exec(huggingFace);
  const [, layer = '', part = '', kind = ''] = match ?? [];
  const inside = own(inLayer, part);
  return own(outside, huggingFace) ?? (inside === undefined ? null : `blk.${layer}.${inside}.${kind}`);
}

/** nanoGPT's names of GPT-2's tensors to GGUF's, without `.weight` or `.bias`. */
const gpt2Outside: Readonly<Record<string, string>> = { wte: 'token_embd', wpe: 'position_embd', ln_f: 'output_norm' };
const gpt2InLayer: Readonly<Record<string, string>> = {
  ln_1: 'attn_norm',
  'attn.c_attn': 'attn_qkv',
  'attn.c_proj': 'attn_output',
  ln_2: 'ffn_norm',
  'mlp.c_fc': 'ffn_up',
  'mlp.c_proj': 'ffn_down',
};

/** @returns null for a tensor that GPT-2 does not have */
export function gpt2GgufName(name: string): string | null {
  const [, layer, part = '', kind = ''] = /^transformer\.(?:h\.(\d+)\.)?([\w.]+)\.(weight|bias)$/.exec(name) ?? [];
  const theirs = own(layer === undefined ? gpt2Outside : gpt2InLayer, part);
  return theirs === undefined ? null : `${layer === undefined ? '' : `blk.${layer}.`}${theirs}.${kind}`;
}

/** Whether a tensor's rows are those of queries or of keys; `none` for all others. @param name Hugging Face's */
function rowsOf(name: string): 'queries' | 'keys' | 'none' {
  const [, projection] = /\.self_attn\.([qk])_proj\.(?:weight|bias)$/.exec(name) ?? [];
  return projection === 'q' ? 'queries' : projection === 'k' ? 'keys' : 'none';
}

/** Rows as transformers has them, from rows of which the two halves of each head stand in turns. */
export function rowsInHalves(data: Float32Array, rows: number, heads: number): Float32Array {
  return reordered(data, rows, heads, (half, i, size) => [half * (size / 2) + i, 2 * i + half]);
}

/** The other way round. */
export function rowsInTurns(data: Float32Array, rows: number, heads: number): Float32Array {
  return reordered(data, rows, heads, (half, i, size) => [2 * i + half, half * (size / 2) + i]);
}

/** @param place of one row of a head: where it goes, and where it comes from */
function reordered(
  data: Float32Array,
  rows: number,
  heads: number,
  place: (half: number, i: number, size: number) => readonly [to: number, from: number],
): Float32Array {
  const width = data.length / rows;
  const size = rows / heads;
  const result = new Float32Array(data.length);
  for (let head = 0; head < heads; head++) {
    for (let half = 0; half < 2; half++) {
      for (let i = 0; i < size / 2; i++) {
        const [to, from] = place(half, i, size);
        const begin = (head * size + from) * width;
        result.set(data.subarray(begin, begin + width), (head * size + to) * width);
      }
    }
  }
  return result;
}

/** How many heads the rows of a tensor belong to, whose order must change; 0 for all others. */
export function headsIn(name: string, heads: { readonly queries: number; readonly keys: number } | null): number {
  const rows = rowsOf(name);
  return heads === null || rows === 'none' ? 0 : heads[rows];
}
