/** What the readers of Hugging Face's models share. */
import { z } from 'zod';
import { embeddingName } from '../../shared/architectures/decoder.js';
import type { GPTConfig, RopeScaling } from '../../shared/config/model.js';
import type { NamedArrays } from '../engine/types.js';
import { firstIssue, notUsable, takeWeights } from './foreign-weights.js';
import type { NumberFormat } from './number-formats.js';
import type { OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';

export interface HuggingFaceConfig {
  readonly config: GPTConfig;
  readonly notes: readonly string[];
}

export interface HuggingFaceModel extends HuggingFaceConfig {
  readonly weights: NamedArrays;
}

/** @throws UserError `checkpoint` where a tensor of this type is no weight */
export function mustBeReadable(name: string, dtype: NumberFormat, what: string): void {
  if (['F32', 'F16', 'BF16'].includes(dtype)) return;
  throw notUsable(what, `${shorten(name)} is ${dtype}`, 'Use a model in float32, float16 or bfloat16.');
}

/** Default context of long models: attention takes memory with the square of the context. */
export const USUAL_CONTEXT = 1024;

/** Left out or null. */
export const absent = z.null().optional();

/** Older files keep the frequencies, which follow from the configuration. */
const leftAside = { embedding: embeddingName, buffers: /\.rotary_emb\.inv_freq$/ };

/** The weights of a model whose tensors have our names. @throws UserError `checkpoint`, `file_damaged` */
export const weightsByName = (config: GPTConfig, file: OpenSafetensors, what: string): NamedArrays =>
  takeWeights(config, tensorsOf(file, what), what, leftAside);

function tensorsOf(file: OpenSafetensors, what: string) {
  for (const [name, { dtype }] of file.tensors) if (!leftAside.buffers.test(name)) mustBeReadable(name, dtype, what);
  const shapes = new Map([...file.tensors].map(([name, { shape }]) => [name, shape]));
  return { shapes, read: (name: string) => file.read(name), take: (name: string) => file.take(name) };
}

const linearSchema = z.object({ factor: z.number() });
const llama3Schema = z.object({
  factor: z.number(),
  low_freq_factor: z.number(),
  high_freq_factor: z.number(),
  original_max_position_embeddings: z.int(),
});

/** transformers' own default where neither form says it. */
const USUAL_THETA = 10000;

/** The settings of rotary positions: until transformers 4, and since. */
interface RopeSettings {
  readonly rope_theta?: number | null | undefined;
  readonly rope_scaling?: Readonly<Record<string, unknown>> | null | undefined;
  readonly rope_parameters?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Reads the rotary settings. @throws UserError `checkpoint` for others */
export function ropeOf(
  settings: RopeSettings,
  what: string,
  hint: string,
): { readonly theta: unknown; readonly scaling?: RopeScaling } {
  const rope = settings.rope_parameters ?? settings.rope_scaling ?? {};
  const theta = rope['rope_theta'] ?? settings.rope_theta ?? USUAL_THETA;
  const type = rope['rope_type'] ?? rope['type'] ?? 'default';
  const parsedAs = <T>(schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(rope);
    if (parsed.success) return parsed.data;
    throw notUsable(what, `in the scaling of its rotary positions, ${firstIssue(parsed.error, rope)}`, hint);
  };
  const partial = rope['partial_rotary_factor'] ?? 1;
  if (partial !== 1) throw notUsable(what, `only ${shorten(JSON.stringify(partial))} of each head is rotary`, hint);
  switch (type) {
    case 'default':
      return { theta };
    case 'linear':
      return { theta, scaling: { type: 'linear', ...parsedAs(linearSchema) } };
    case 'llama3': {
      const { original_max_position_embeddings: original_positions, ...factors } = parsedAs(llama3Schema);
      return { theta, scaling: { type: 'llama3', ...factors, original_positions } };
    }
    default: {
      const name = shorten(JSON.stringify(type));
      throw notUsable(what, `its rotary positions are scaled by ${name}, which Verisim does not compute`, hint);
    }
  }
}
