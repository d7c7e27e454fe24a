/** A model's files in each form that other programs read, and what each cannot hold. */
import { basename, resolve } from 'node:path';
import { usualReading } from '../../../shared/config/generation.js';
import { exportFormats, type GgufType, type ModelFormat } from '../../../shared/config/export-formats.js';
import { parameterCount, parameterShapes, trainedCount } from '../../../shared/architectures/index.js';
import { type ArchitectureName, type GPTConfig, positionsOf } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import type { Language } from '../../../shared/language.js';
import { createFormat } from '../../../shared/messages/formatter.js';
import { labelSurface } from '../../../shared/messages/surfaces.js';
import { type GgufOptions, ggufOf } from '../../formats/gguf/gguf-export.js';
import { characterVocabulary, tokenizerVocabulary, type Vocabulary } from '../../formats/gguf/gguf-vocabulary.js';
import { dataBytes, encodeGguf } from '../../formats/gguf/gguf-write.js';
import { modelfile } from '../../formats/gguf/modelfile.js';
import { modelSettings, writeHuggingFaceModel } from '../../formats/huggingface.js';
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
import { readmeWords } from './readme.js';
import { trlFiles } from './trl/files.js';

export interface ExportSettings {
  readonly model_path: string;
  /** How a GGUF file keeps its matrices. */
  readonly outtype?: GgufType | undefined;
  /** What Ollama writes with. */
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  /** Of the README beside it. */
  readonly language?: Language | undefined;
}

interface ExportFiles {
  readonly files: Readonly<Record<string, Bytes>>;
  /** About how many there are, for saying how far it is. */
  readonly bytes: number;
}

/** @throws UserError `checkpoint` naming what the form has no place for */
export const filesIn: Readonly<
  Record<ModelFormat, (model: LoadedModel, settings: ExportSettings) => Promise<ExportFiles>>
> = { huggingface: huggingFaceFiles, gguf: ggufFiles, peft: adapterFiles, nanogpt: nanoGptFiles, trl: continuedFiles };

function refused(why: string, hint: string, field: string): UserError {
  return new UserError({ code: 'checkpoint', message: why, hint, field });
}

/** What the forms that have no place for every architecture have one for. */
const held: Readonly<Partial<Record<ModelFormat, readonly ArchitectureName[]>>> = {
  gguf: ['gpt2', 'llama'],
  nanogpt: ['gpt2'],
};
const families: Readonly<Record<ArchitectureName, string>> = {
  gpt2: 'of GPT-2’s architecture',
  llama: 'of Llama’s family',
  modern: 'of the modern architecture (NanoChat)',
};

/**
 * Before any weight is read.
 * @throws UserError `checkpoint` where the form has no place for the architecture
 */
export function mustHold(format: ModelFormat, { architecture = 'gpt2' }: GPTConfig, path: string): void {
  if (held[format]?.includes(architecture) ?? true) return;
  const program = format === 'gguf' ? 'llama.cpp has no such architecture' : 'nanoGPT’s checkpoints hold GPT-2’s';
  const others = (['huggingface', 'gguf'] as const).filter((form) => held[form]?.includes(architecture) ?? true);
  const hint = `Export it with --format ${others.join(' or ')}.`;
  throw refused(`${path} is ${families[architecture]}; ${program}`, hint, 'format');
}

function mustWrite({ config: { mode } }: LoadedModel, path: string, program: string): void {
  if (mode !== 'reward') return;
  const hint = 'Export it with --format nanogpt, or give --model_path a base model.';
  throw refused(`${path} is a reward model; ${program} has no such head`, hint, 'model_path');
}

/** A model's tokenizer as other programs read it; none of its own for characters. */
interface Tokens {
  readonly files: TokenizerFiles;
  readonly spec: PretrainedSpec;
  readonly special: SpecialIds;
}

async function tokensOf({ tokenization: { method, tokenizerPath } }: LoadedModel): Promise<Tokens | null> {
  const files =
    method === 'bpe' ? await gpt2Files() : tokenizerPath === undefined ? null : tokenizerFilesAt(tokenizerPath);
  if (files === null) return null;
  const { readTokenizerJson } = await import('../../formats/tokenizer/tokenizer-json.js');
  const spec = readTokenizerJson(files[TOKENIZER], tokenizerPath ?? TOKENIZER);
  // Which of transformers' classes reads it, unless somebody said so.
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', ...fieldsOf(files[TOKENIZER_CONFIG]) } as Record<
    string,
    Json
  >;
  const withConfig = { ...files, [TOKENIZER_CONFIG]: files[TOKENIZER_CONFIG] ?? `${stableJson(config, 2)}\n` };
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
  const words = readmeWords[language];
  const readme = [
    words.huggingface,
    '',
    '    from transformers import AutoModelForCausalLM, AutoTokenizer',
    `    model = AutoModelForCausalLM.from_pretrained("${words.thisFolder}")`,
    '',
    tokens === null
      ? words.characters(words.dictionaries)
      : words.tokensOf(`AutoTokenizer.from_pretrained("${words.thisFolder}")`),
  ];
  return {
    files: {
      ...writeHuggingFaceModel(config, weights, tokens?.special),
      // What the model came with wins: how it is meant to write.
      ...tokens?.files,
      ...alphabet(model),
      'README.txt': `${readme.join('\n')}\n`,
    },
    bytes: 4 * parameterCount(config),
  };
}

/** The folder of `huggingFaceFiles`, with a tokenizer whatever its tokens are, and what GRPO elsewhere needs beside it. */
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
    const hint = 'Export it with --format huggingface; adapters come of training with --tune lora.';
    throw refused(`${model_path} has no adapters: all of its weights were trained`, hint, 'format');
  }
  const { init_from } = provenance;
  const base = typeof init_from === 'string' ? init_from : null;
  const words = readmeWords[language];
  const readme = [
    words.adapters,
    '',
    '    from peft import PeftModel',
    '    from transformers import AutoModelForCausalLM',
    `    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained("${words.theBase}"), "${words.thisFolder}")`,
    '',
    words.base(base),
    words.folderOfGguf,
  ];
  return {
    files: {
      ...writePeftAdapters(config, weights, base),
      ...(await tokensOf(model))?.files,
      ...alphabet(model),
      'README.txt': `${readme.join('\n')}\n`,
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
  const { config, tokenization } = model;
  const form = outtype === 'f16' ? 'F16' : 'Q8_0';
  const name = basename(resolve(model_path)).replace(
    /(\.(I?Q\d\w*|B?F16|F32))?\.(gguf|pt|pth|ckpt|bin|safetensors)$/i,
    '',
  );
  const options: GgufOptions = { name, form };
  const tokens = await tokensOf(model);
  const vocabulary = vocabularyOf(model, tokens, model_path);
  const { metadata, tensors } = ggufOf(modelSettings(config), sourceOf(model), vocabulary, options);
  const file = `${name.replace(/[^\w.-]+/g, '-') || 'model'}-${form}.gguf`;
  const stop = tokens?.special.eos ?? null;
  const ends = stop === null ? null : (tokens?.spec.addedTokens.find(({ id }) => id === stop)?.content ?? null);
  // As far as its positions reach, within what a small machine has the memory for.
  const context = Math.min(positionsOf(config), MAX_CONTEXT);
  const words = readmeWords[language];
  const readme = [
    words.gguf(createFormat(labelSurface('document', language, language))(exportFormats.gguf.readBy)),
    '',
    `    llama-completion -m ${file} -no-cnv -p "Once upon a time"       llama.cpp`,
    '    ollama create my-model -f Modelfile && ollama run my-model     Ollama',
    `    lms import ${file}                                             LM Studio`,
    ...(tokenization.method === 'char' ? ['', words.onlyCharacters] : []),
  ];
  return {
    files: {
      [file]: encodeGguf(metadata, tensors),
      Modelfile: modelfile({ file, temperature, topP: top_p, context, stop: ends }),
      'README.txt': `${readme.join('\n')}\n`,
    },
    bytes: dataBytes(tensors),
  };
}

const MAX_CONTEXT = 4096;

function vocabularyOf({ config, tokenization }: LoadedModel, tokens: Tokens | null, what: string): Vocabulary {
  if (tokens !== null) {
    const read = { json: tokens.files[TOKENIZER], spec: tokens.spec };
    const chat = fieldsOf(tokens.files[TOKENIZER_CONFIG])['chat_template'];
    const { size, metadata } = tokenizerVocabulary(read, tokens.special, { rows: config.vocab_size, what });
    if (typeof chat !== 'string') return { size, metadata };
    return { size, metadata: new Map([...metadata, ['tokenizer.chat_template', { type: 'string', value: chat }]]) };
  }
  if (tokenization.chars !== undefined) return characterVocabulary(tokenization.chars);
  const hint = 'Put the meta.pkl of the text it was trained on beside it.';
  throw refused(`${what} does not say which characters its tokens are`, hint, 'model_path');
}

/** The weights for `ggufOf`; biases that our model does without are zeros, as llama.cpp's GPT-2 has them all. */
function sourceOf({ config, weights }: LoadedModel) {
  const shapes = parameterShapes((config.architecture ?? 'gpt2') === 'gpt2' ? { ...config, bias: true } : config);
  const arrayOf = (name: string): HostArray => {
    const shape = shapes[name] ?? [];
    return weights[name] ?? { shape, data: new Float32Array(shape[0] ?? 0) };
  };
  const tensors = new Map(Object.entries(shapes).map(([name, shape]) => [name, { shape, dtype: 'F32' as const }]));
  return { tensors, read: (name: string) => arrayOf(name).data };
}

/** Where nanoGPT's sample.py looks for the characters: data/<this>/meta.pkl. */
const DATASET = 'verisim';

function nanoGptFiles(model: LoadedModel, { language = 'en' }: ExportSettings): Promise<ExportFiles> {
  const { config, weights, tokenization, provenance } = model;
  const { method } = tokenization;
  const isChar = method === 'char';
  const number = (keys: readonly string[], otherwise: number) =>
    keys.map((key): Json | undefined => provenance[key]).find((value) => typeof value === 'number') ?? otherwise;
  const words = readmeWords[language];
  const readme = [
    words.nanogpt,
    '',
    config.mode === 'generator' ? `    python sample.py --out_dir="${words.thisFolder}"` : `    ${words.checkpoint}`,
    '',
    words.noOptimizer,
    isChar
      ? words.characters(words.copied(`data/${DATASET}/meta.pkl`))
      : method === 'bpe'
        ? words.gpt2Tokens
        : words.ownTokens,
  ];
  const checkpoint = encodeTorchCheckpoint(config, weights, {
    iter_num: number(['iterations', 'iter_num'], 0),
    best_val_loss: number(['val_loss', 'best_val_loss'], 1e9), // nanoGPT's own start
    dataset: isChar ? DATASET : null,
  });
  const { tokenizerPath } = tokenization;
  const tokenizer = tokenizerPath === undefined ? {} : tokenizerFilesAt(tokenizerPath);
  return Promise.resolve({
    files: { 'ckpt.pt': checkpoint, ...tokenizer, ...alphabet(model), 'README.txt': `${readme.join('\n')}\n` },
    bytes: 4 * parameterCount(config),
  });
}

const alphabet = ({ tokenization: { chars } }: LoadedModel): Record<string, Bytes> =>
  chars === undefined ? {} : { 'meta.pkl': writeMetaPickle(chars) };
