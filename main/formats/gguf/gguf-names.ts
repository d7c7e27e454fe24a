/** Maps tensor names and the row order of queries and keys between GGUF and Hugging Face. (gguf-py's tensor_mapping.py) */

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

/** @returns null for a tensor that Llama's family does not have */
export function toHuggingFaceName(gguf: string): string | null {
  const [, layer = '', part = '', kind = ''] = /^blk\.(0|[1-9]\d{0,4})\.(\w+)\.(weight|bias)$/.exec(gguf) ?? [];
  const inside = own(inLayerBack, part);
  return own(outsideBack, gguf) ?? (inside === undefined ? null : `model.layers.${layer}.${inside}.${kind}`);
}

export function toGgufName(huggingFace: string): string | null {
  const match = /^model\.layers\.(0|[1-9]\d{0,4})\.([\w.]+)\.(weight|bias)$/.exec(huggingFace);
  const [, layer = '', part = '', kind = ''] = match ?? [];
  const inside = own(inLayer, part);
  return own(outside, huggingFace) ?? (inside === undefined ? null : `blk.${layer}.${inside}.${kind}`);
}

/** nanoGPT's names of GPT-2's tensors to GGUF's, without `.weight` or `.bias`; a file may repeat the embedding as its head. */
const gpt2Outside: Readonly<Record<string, string>> = {
  'transformer.wte': 'token_embd',
  'transformer.wpe': 'position_embd',
  'transformer.ln_f': 'output_norm',
  lm_head: 'output',
};
const gpt2InLayer: Readonly<Record<string, string>> = {
  ln_1: 'attn_norm',
  'attn.c_attn': 'attn_qkv',
  'attn.c_proj': 'attn_output',
  ln_2: 'ffn_norm',
  'mlp.c_fc': 'ffn_up',
  'mlp.c_proj': 'ffn_down',
};

const [gpt2OutsideBack, gpt2InLayerBack] = [turned(gpt2Outside), turned(gpt2InLayer)];

export function gpt2GgufName(name: string): string | null {
  const [, layer, part = '', kind = ''] = /^(?:transformer\.h\.(\d+)\.)?([\w.]+)\.(weight|bias)$/.exec(name) ?? [];
  const theirs = own(layer === undefined ? gpt2Outside : gpt2InLayer, part);
  return theirs === undefined ? null : `${layer === undefined ? '' : `blk.${layer}.`}${theirs}.${kind}`;
}

/** @returns nanoGPT's name, which is Hugging Face's too, or null for a tensor that GPT-2 does not have */
export function gpt2Name(gguf: string): string | null {
  const [, layer, part = '', kind = ''] = /^(?:blk\.(0|[1-9]\d{0,4})\.)?(\w+)\.(weight|bias)$/.exec(gguf) ?? [];
  const ours = own(layer === undefined ? gpt2OutsideBack : gpt2InLayerBack, part);
  return ours === undefined ? null : `${layer === undefined ? '' : `transformer.h.${layer}.`}${ours}.${kind}`;
}

/** Reorders rows between transformers' order, the two halves of each head, and GGUF's, which has them in turns. */
export function reordered(data: Float32Array, rows: number, heads: number, order: 'halves' | 'turns'): Float32Array {
  const width = data.length / rows;
  const size = rows / heads;
  const result = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const inHead = row % size;
    const halves = row - inHead;
    const turned = halves + 2 * (inHead % (size / 2)) + Math.floor(inHead / (size / 2));
    const [to, from] = order === 'halves' ? [row, turned] : [turned, row];
    result.set(data.subarray(from * width, (from + 1) * width), to * width);
  }
  return result;
}

/** The number of heads of a tensor whose rows must change their order; 0 for all others. @param name Hugging Face's */
export function headsIn(name: string, heads: { readonly queries: number; readonly keys: number } | null): number {
  const [, projection] = /\.self_attn\.([qk])_proj\.(?:weight|bias)$/.exec(name) ?? [];
  if (heads === null || projection === undefined) return 0;
  return projection === 'q' ? heads.queries : heads.keys;
}
