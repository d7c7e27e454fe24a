/**
 * Small open models that a project can begin from, as their config.json files on the hub describe them: what a list needs to
 * know before anything is fetched. Sizes, memory and times follow from the shape; what the hub then says wins.
 */
import { parameterCount } from '../architectures/index.js';
import type { GPTConfig, LlamaShape } from '../config/model.js';

interface CatalogueModel {
  /** Its name on the hub, which `init_from` takes. */
  readonly name: string;
  readonly title: string;
  /** As SPDX has it, or the licence's own name. */
  readonly licence: string;
  /** Whether the hub hands it out only to those who have agreed to its terms there. */
  readonly gated: boolean;
  /** BCP 47 tags of the languages that its makers name. */
  readonly languages: readonly string[];
  /** Trained further to answer, not only to continue a text. */
  readonly instructed: boolean;
  readonly model: GPTConfig;
}

type Shape = Pick<GPTConfig, 'n_layer' | 'n_head' | 'n_embd' | 'vocab_size'> &
  Pick<LlamaShape, 'n_kv_head' | 'n_inner' | 'rope_theta' | 'max_positions'> &
  Partial<LlamaShape>;

/** Bytes of a weight in these files: bfloat16. */
const STORED = 2;
/** About what tokenizer.json and the small files take, for each token of the vocabulary. */
const TOKENIZER_BYTES = 48;

function llama({ n_layer, n_head, n_embd, vocab_size, ...own }: Shape): GPTConfig {
  const usual = {
    head_dim: n_embd / n_head,
    norm_epsilon: 1e-5,
    tied_head: true,
    qk_norm: false,
    attention_bias: 'none',
  } as const;
  return {
    architecture: 'llama',
    mode: 'generator',
    n_layer,
    n_head,
    n_embd,
    vocab_size,
    block_size: Math.min(1024, own.max_positions),
    dropout: 0,
    bias: false,
    reward_head_hidden_dim: 256,
    llama: { ...usual, ...own },
  };
}

const smol = { vocab_size: 49_152, max_positions: 8192 };
const qwen = { vocab_size: 151_936, norm_epsilon: 1e-6, rope_theta: 1e6 };

const tags = (list: string): readonly string[] => list.split(' ');
const english = ['en'];
/** "Over 29 languages, including" these (Qwen2.5's model card). */
const qwen25Languages = tags('en zh es fr pt de it ru ja ko vi th ar');
/** Of the 119 languages of Qwen3's technical report those that `detectLanguage` distinguishes. */
const qwen3Languages = tags(
  'en zh es fr pt de it ru ja ko vi th ar af az ban be bg bn bs ca ceb cs da el et fa fi fil gl gu he hi hr ht hu hy id ilo ' +
    'is jv ka kk kn lt lv mag mai mk ml mr mt min ms my nb ne nl nn or pa pl ro sd si sk sl sr su sv sw ta te tg tpi tr tt uk ur ' +
    'uz vec war yi',
);
/** Supported officially (Llama 3.2's model card). */
const llama32Languages = tags('en de fr it pt hi es th');

/** Smallest first. */
export const catalogue: readonly CatalogueModel[] = [
  {
    name: 'HuggingFaceTB/SmolLM2-135M',
    title: 'SmolLM2 135M',
    licence: 'Apache-2.0',
    gated: false,
    languages: english,
    instructed: false,
    model: llama({ ...smol, n_layer: 30, n_head: 9, n_embd: 576, n_kv_head: 3, n_inner: 1536, rope_theta: 1e5 }),
  },
  {
    name: 'HuggingFaceTB/SmolLM2-360M',
    title: 'SmolLM2 360M',
    licence: 'Apache-2.0',
    gated: false,
    languages: english,
    instructed: false,
    model: llama({ ...smol, n_layer: 32, n_head: 15, n_embd: 960, n_kv_head: 5, n_inner: 2560, rope_theta: 1e5 }),
  },
  {
    name: 'Qwen/Qwen2.5-0.5B',
    title: 'Qwen2.5 0.5B',
    licence: 'Apache-2.0',
    gated: false,
    languages: qwen25Languages,
    instructed: false,
    model: llama({
      ...qwen,
      max_positions: 32_768,
      attention_bias: 'inputs',
      n_layer: 24,
      n_head: 14,
      n_embd: 896,
      n_kv_head: 2,
      n_inner: 4864,
    }),
  },
  {
    name: 'Qwen/Qwen3-0.6B-Base',
    title: 'Qwen3 0.6B',
    licence: 'Apache-2.0',
    gated: false,
    languages: qwen3Languages,
    instructed: false,
    model: llama({
      ...qwen,
      max_positions: 32_768,
      qk_norm: true,
      head_dim: 128,
      n_layer: 28,
      n_head: 16,
      n_embd: 1024,
      n_kv_head: 8,
      n_inner: 3072,
    }),
  },
  {
    name: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0',
    title: 'TinyLlama 1.1B Chat',
    licence: 'Apache-2.0',
    gated: false,
    languages: english,
    instructed: true,
    model: llama({
      vocab_size: 32_000,
      max_positions: 2048,
      rope_theta: 1e4,
      tied_head: false,
      n_layer: 22,
      n_head: 32,
      n_embd: 2048,
      n_kv_head: 4,
      n_inner: 5632,
    }),
  },
  {
    name: 'meta-llama/Llama-3.2-1B',
    title: 'Llama 3.2 1B',
    licence: 'Llama 3.2 Community License',
    gated: true,
    languages: llama32Languages,
    instructed: false,
    model: llama({
      vocab_size: 128_256,
      max_positions: 131_072,
      rope_theta: 5e5,
      n_layer: 16,
      n_head: 32,
      n_embd: 2048,
      n_kv_head: 8,
      n_inner: 8192,
      rope_scaling: {
        type: 'llama3',
        factor: 32,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_positions: 8192,
      },
    }),
  },
  {
    name: 'HuggingFaceTB/SmolLM2-1.7B',
    title: 'SmolLM2 1.7B',
    licence: 'Apache-2.0',
    gated: false,
    languages: english,
    instructed: false,
    model: llama({ ...smol, n_layer: 24, n_head: 32, n_embd: 2048, n_kv_head: 32, n_inner: 8192, rope_theta: 1.3e5 }),
  },
];

/** About how many bytes a model of the catalogue is to download. */
export const downloadSize = ({ model }: CatalogueModel): number =>
  STORED * parameterCount(model) + TOKENIZER_BYTES * model.vocab_size;
