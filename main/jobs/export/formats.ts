/** Encodes a model in each format that other programs read, and refuses what a format cannot hold. */
import { basename, resolve } from 'node:path';
import { parameterCount, parameterShapes, trainedCount } from '../../../shared/architectures/index.js';
import { exportFormats, type GgufType, type ModelFormat } from '../../../shared/config/export-formats.js';
import { usualReading } from '../../../shared/config/generation.js';
import { type ArchitectureName, type GPTConfig, positionsOf } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized, type Message, type MessageCode, type MessageParameters } from '../../../shared/messages/message.js';
import { type GgufOptions, ggufOf } from '../../formats/gguf/gguf-export.js';
import { characterVocabulary, tokenizerVocabulary, type Vocabulary } from '../../formats/gguf/gguf-vocabulary.js';
import { dataBytes, encodeGguf } from '../../formats/gguf/gguf-write.js';
import { modelfile } from '../../formats/gguf/modelfile.js';
import { modelSettings, writeHuggingFaceModel } from '../../formats/huggingface.js';
import { documentFormat } from '../../formats/pages/document.js';
import { writePeftAdapters } from '../../formats/peft.js';
import { writeMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { stableJson } from '../../formats/stable-json.js';
import { characterTokenizer, gpt2TokenizerJson } from '../../formats/tokenizer/byte-level-json.js';
import { fieldsOf, type SpecialIds, specialIds } from '../../formats/tokenizer/special-tokens.js';
import { encodeTorchCheckpoint } from '../../formats/torch/torch-checkpoint-write.js';
import { gpt2Vocabulary, type PretrainedSpec } from '../../engine/tokenizer/index.js';
import type { HostArray, Json } from '../../engine/types.js';
import { TOKENIZER, type TokenizerFiles, tokenizerFilesAt } from '../../storage/datasets/tokenizer-files.js';
import type { Bytes } from '../../storage/disk/file-bytes.js';
import type { LoadedModel } from '../models.js';
import { trlFiles } from './trl.js';

export interface ExportSettings {
  readonly model_path: string;
  /** The type of a GGUF file's matrices. */
  readonly outtype?: GgufType | undefined;
  /** Ollama's defaults. */
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  /** The README's. */
  readonly language?: Language | undefined;
}

interface ExportFiles {
  readonly files: Readonly<Record<string, Bytes>>;
  /** About how many there are, for progress. */
  readonly bytes: number;
}

/** @throws UserError `checkpoint` that names what the format cannot hold */
export const filesIn: Readonly<
  Record<ModelFormat, (model: LoadedModel, settings: ExportSettings) => Promise<ExportFiles>>
> = { huggingface: huggingFaceFiles, gguf: ggufFiles, peft: adapterFiles, nanogpt: nanoGptFiles, trl: continuedFiles };

const refused = (message: Message, hint: Message, field: string): UserError =>
  new UserError({ code: 'checkpoint', message, hint, field });

const readmeIn = (language: Language, code: MessageCode & `exported.${string}`, params: MessageParameters) => ({
  'README.txt': documentFormat(language)(code, params),
});

/** The architectures of formats that do not hold all. */
const held: Readonly<Partial<Record<ModelFormat, readonly ArchitectureName[]>>> = {
  gguf: ['gpt2', 'llama'],
  nanogpt: ['gpt2'],
};

/** Checks a model before its weights are read. @throws UserError `checkpoint` if the format cannot hold its architecture */
export function mustHold(format: ModelFormat, { architecture = 'gpt2' }: GPTConfig, path: string): void {
  if (held[format]?.includes(architecture) ?? true) return;
  const message = localized('export.no_architecture', { path, architecture, format });
  throw refused(message, localized('export.use_huggingface'), 'format');
}

function mustWrite({ config: { mode } }: LoadedModel, path: string, program: string): void {
  if (mode !== 'reward') return;
  throw refused(localized('export.reward_head', { path, program }), localized('export.use_nanogpt'), 'model_path');
}

/** A model's tokenizer as other programs read it; characters have none. */
interface Tokens {
  readonly files: TokenizerFiles;
  readonly spec: PretrainedSpec;
  readonly special: SpecialIds;
}

async function tokensOf({ tokenization: { method, tokenizerPath }, provenance }: LoadedModel): Promise<Tokens | null> {
  const files =
    method === 'bpe' ? await gpt2Files() : tokenizerPath === undefined ? null : tokenizerFilesAt(tokenizerPath);
  if (files === null) return null;
  const { readTokenizerJson } = await import('../../formats/tokenizer/tokenizer-json.js');
  const spec = readTokenizerJson(files[TOKENIZER], tokenizerPath ?? TOKENIZER);
  // The class of transformers that reads it, unless the model names one.
  const { chat_template: chat, ...named } = fieldsOf(files[TOKENIZER_CONFIG]);
  // A model trained on a text continues it; as a chat it answers with nonsense.
  const kept = chat === undefined || 'imported_from' in provenance ? files[TOKENIZER_CONFIG] : undefined;
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', ...named } as Record<string, Json>;
  const withConfig = { ...files, [TOKENIZER_CONFIG]: kept ?? `${stableJson(config, 2)}\n` };
  return { files: withConfig, spec, special: specialIds(withConfig, spec) };
}

const TOKENIZER_CONFIG = 'tokenizer_config.json';

async function gpt2Files(): Promise<TokenizerFiles> {
  const vocabulary = await gpt2Vocabulary();
  const end = vocabulary.tokens.at(-1) ?? '';
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: end, eos_token: end, unk_token: end };
  return { [TOKENIZER]: gpt2TokenizerJson(vocabulary), [TOKENIZER_CONFIG]: `${stableJson(config, 2)}\n` };
}

async function huggingFaceFiles(
  model: LoadedModel,
  { model_path, language = 'en' }: ExportSettings,
): Promise<ExportFiles> {
  mustWrite(model, model_path, 'transformers');
  const { config, weights } = model;
  const tokens = await tokensOf(model);
  return {
    files: {
      ...writeHuggingFaceModel(config, weights, tokens?.special),
      // The model's own files win: they say how it is meant to write.
      ...tokens?.files,
      ...alphabet(model),
      ...readmeIn(language, 'exported.huggingface', { characters: tokens === null }),
    },
    bytes: 4 * parameterCount(config),
  };
}

/** The folder of `huggingFaceFiles`, always with a tokenizer, and the files for GRPO by TRL. */
async function continuedFiles(model: LoadedModel, settings: ExportSettings): Promise<ExportFiles> {
  const { files, bytes } = await trlFiles(model, { path: settings.model_path, language: settings.language ?? 'en' });
  const { chars } = model.tokenization;
  const written = chars === undefined ? null : characterTokenizer(chars);
  const tokenizer = written && { [TOKENIZER]: written.json, [TOKENIZER_CONFIG]: written.config };
  return { files: { ...(await huggingFaceFiles(model, settings)).files, ...tokenizer, ...files }, bytes };
}

async function adapterFiles(model: LoadedModel, { model_path, language = 'en' }: ExportSettings): Promise<ExportFiles> {
  mustWrite(model, model_path, 'peft');
  const { config, weights, provenance } = model;
  if (!config.lora) {
    const message = localized('export.no_adapters', { path: model_path });
    throw refused(message, localized('export.adapters_need_lora'), 'format');
  }
  const { init_from } = provenance;
  const base = typeof init_from === 'string' ? init_from : null;
  return {
    files: {
      ...writePeftAdapters(config, weights, base),
      ...(await tokensOf(model))?.files,
      ...alphabet(model),
      ...readmeIn(language, 'exported.peft', { base }),
    },
    bytes: 4 * trainedCount(config),
  };
}

async function ggufFiles(
  model: LoadedModel,
  {
    model_path,
    outtype = 'f16',
    temperature = usualReading.temperature,
    top_p = usualReading.top_p,
    language = 'en',
  }: ExportSettings,
): Promise<ExportFiles> {
  mustWrite(model, model_path, 'llama.cpp');
  const { config } = model;
  const form = outtype === 'f16' ? 'F16' : 'Q8_0';
  const name = basename(resolve(model_path)).replace(
    /(\.(I?Q\d\w*|B?F16|F32))?\.(gguf|pt|pth|ckpt|bin|safetensors)$/i,
    '',
  );
  const options: GgufOptions = { name, form };
  const tokens = await tokensOf(model);
  const vocabulary = vocabularyOf(model, tokens, model_path);
  const { metadata, tensors } = ggufParts(model, vocabulary, options);
  const file = `${name.replace(/[^\w.-]+/g, '-') || 'model'}-${form}.gguf`;
  const stop = tokens?.special.eos ?? null;
  const ends = stop === null ? null : (tokens?.spec.addedTokens.find(({ id }) => id === stop)?.content ?? null);
  // The longest context that a small machine has memory for.
  const context = Math.min(positionsOf(config), MAX_CONTEXT);
  const programs = localized(exportFormats.gguf.readBy);
  const characters = model.tokenization.method === 'char';
  return {
    files: {
      [file]: encodeGguf(metadata, tensors),
      Modelfile: modelfile({ file, temperature, topP: top_p, context, stop: ends }),
      ...readmeIn(language, 'exported.gguf', { programs, file, characters }),
    },
    bytes: dataBytes(tensors),
  };
}

const MAX_CONTEXT = 4096;

/** @throws UserError `checkpoint` if llama.cpp does not have the architecture */
export const ggufParts = (model: LoadedModel, vocabulary: Vocabulary, options: GgufOptions) =>
  ggufOf(modelSettings(model.config), sourceOf(model), vocabulary, options);

function vocabularyOf({ config, tokenization }: LoadedModel, tokens: Tokens | null, what: string): Vocabulary {
  if (tokens !== null) {
    const read = { json: tokens.files[TOKENIZER], spec: tokens.spec };
    const chat = fieldsOf(tokens.files[TOKENIZER_CONFIG])['chat_template'];
    const { size, metadata } = tokenizerVocabulary(read, tokens.special, { rows: config.vocab_size, what });
    if (typeof chat !== 'string') return { size, metadata };
    return { size, metadata: new Map([...metadata, ['tokenizer.chat_template', { type: 'string', value: chat }]]) };
  }
  if (tokenization.chars !== undefined) return characterVocabulary(tokenization.chars);
  throw refused(localized('export.no_characters', { path: what }), localized('characters.add_meta'), 'model_path');
}

/** The weights for `ggufOf`; llama.cpp's GPT-2 has all biases, so missing ones are zeros. */
function sourceOf({ config, weights }: LoadedModel) {
  const shapes = parameterShapes((config.architecture ?? 'gpt2') === 'gpt2' ? { ...config, bias: true } : config);
  const arrayOf = (name: string): HostArray => {
    const shape = shapes[name] ?? [];
    return weights[name] ?? { shape, data: new Float32Array(shape[0] ?? 0) };
  };
  const tensors = new Map(Object.entries(shapes).map(([name, shape]) => [name, { shape, dtype: 'F32' as const }]));
  return { tensors, read: (name: string) => arrayOf(name).data };
}

/** nanoGPT's sample.py looks for the characters in data/<this>/meta.pkl. */
const DATASET = 'verisim';

function nanoGptFiles(model: LoadedModel, { language = 'en' }: ExportSettings): Promise<ExportFiles> {
  const { config, weights, tokenization, provenance } = model;
  const { method } = tokenization;
  const isChar = method === 'char';
  const number = (keys: readonly string[], otherwise: number) =>
    keys.map((key): Json | undefined => provenance[key]).find((value) => typeof value === 'number') ?? otherwise;
  const facts = { mode: config.mode, method, meta: `data/${DATASET}/meta.pkl` };
  const checkpoint = encodeTorchCheckpoint(config, weights, {
    iter_num: number(['iterations', 'iter_num'], 0),
    best_val_loss: number(['val_loss', 'best_val_loss'], 1e9), // nanoGPT's own start
    dataset: isChar ? DATASET : null,
  });
  const { tokenizerPath } = tokenization;
  const tokenizer = tokenizerPath === undefined ? {} : tokenizerFilesAt(tokenizerPath);
  return Promise.resolve({
    files: {
      'ckpt.pt': checkpoint,
      ...tokenizer,
      ...alphabet(model),
      ...readmeIn(language, 'exported.nanogpt', facts),
    },
    bytes: 4 * parameterCount(config),
  });
}

const alphabet = ({ tokenization: { chars } }: LoadedModel): Record<string, Bytes> =>
  chars === undefined ? {} : { 'meta.pkl': writeMetaPickle(chars) };
