/** Finds and reads models of other programs: PyTorch checkpoints, Hugging Face folders, GGUF files. */
import { localized, type Message } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { isTorchCheckpoint } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { stateFile } from '../../formats/checkpoint.js';
import { readGgufModel } from '../../formats/gguf/gguf-model.js';
import { openGguf } from '../../formats/gguf/gguf.js';
import { readHuggingFaceConfig, readHuggingFaceModel } from '../../formats/huggingface.js';
import { openSafetensors, type OpenSafetensors } from '../../formats/safetensors.js';
import { joinShards, readShardIndex } from '../../formats/safetensors-shards.js';
import { shorten } from '../../formats/shorten.js';
import { BPE_VOCABULARY } from '../../engine/tokenizer/index.js';
import { readTorchCheckpoint } from '../../formats/torch/torch-checkpoint.js';
import type { Json } from '../../engine/types.js';
import { firstBytes } from '../../formats/byte-source.js';
import { openFile, readText, withFile, type OpenFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';
import type { Model, Tokenization } from './models.js';
import { isGguf, readMeta, TOKENIZER } from '../datasets/tokenizer-files.js';

/** A model found, not read yet. */
export interface ForeignModelFiles {
  readonly format: 'torch' | 'huggingface' | 'gguf';
  readonly folder: string;
  /** The file with the weights, or the one that says in which files they are. */
  readonly weights: string;
  readonly files: readonly string[];
}

type ForeignModel = Model & {
  readonly folder: string;
  /** The meta.pkl that its characters were taken from, or null. */
  readonly metaPath: string | null;
  readonly notes: readonly Message[];
};

const CONFIG = 'config.json';
const ADAPTERS = 'adapter_config.json';
const WEIGHTS = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const MAX_CONFIG = 1 << 20;
/** Ten times what a model of a hundred thousand tensors needs. */
const MAX_INDEX = 1 << 24;

/** Finds a model at a path; null for none or one of ours. @throws UserError `checkpoint` for a known kind that is not read */
export function findForeignModel(model: string): ForeignModelFiles | null {
  const kind = kindAt(model);
  if (kind === 'none') return null;
  const folder = kind === 'folder' ? model : path.dirname(model);
  if (kind !== 'folder' && isGguf(model)) return { format: 'gguf', folder, weights: model, files: [model] };
  if (kind !== 'folder' && (isTorchCheckpoint(model) || isZip(model))) return torchModel(model);
  const has = (name: string) => kindAt(path.join(folder, name)) === 'file';
  if (has(stateFile)) return null;
  if (kind === 'folder' && has('ckpt.pt')) return torchModel(path.join(folder, 'ckpt.pt'));
  if (!has(CONFIG)) {
    const ggufs = ops.list(folder).filter((name) => name.endsWith('.gguf'));
    const [only] = ggufs.length === 1 ? ggufs : [];
    if (kind === 'folder' && only !== undefined) return findForeignModel(path.join(folder, only));
    if (kind === 'folder') refuseByName(folder);
    return null;
  }
  const inShards = !has(WEIGHTS) && has(INDEX);
  const names = inShards ? [INDEX, ...ops.list(folder).filter((name) => name.endsWith('.safetensors'))] : [WEIGHTS];
  const files = [CONFIG, ...names].map((name) => path.join(folder, name));
  return { format: 'huggingface', folder, weights: path.join(folder, inShards ? INDEX : WEIGHTS), files };
}

/** Kinds of model folders that are not read: a file that only they have, what they are, and how they become one that is read. */
const NOT_READ: readonly { readonly file: RegExp; readonly what: string; readonly hint: string }[] = [
  { file: /\.onnx$/, what: 'an ONNX model', hint: 'Use the model that it was made from, as safetensors or GGUF.' },
  {
    file: /^(saved_model\.pb|.*\.keras|tf_model\.h5)$/,
    what: 'a Keras or TensorFlow model',
    hint: 'Use the model as safetensors or GGUF.',
  },
  {
    file: /^pytorch_model.*\.bin$/,
    what: 'weights without the config.json that says what network they are of',
    hint: 'Use the whole folder of the model, saved with model.save_pretrained(folder).',
  },
];

/** @throws UserError `checkpoint` */
function refuseByName(folder: string): void {
  const refuse = (what: string, hint: string): never => {
    throw new UserError({ code: 'checkpoint', message: localized('projects.holds', { folder, what }), hint });
  };
  const names = ops.list(folder);
  if (names.includes(ADAPTERS)) {
    const base = baseOfAdapters(path.join(folder, ADAPTERS));
    refuse(
      `adapters of PEFT, which are no model without the one that they were made for${base === null ? '' : `, ${base}`}`,
      'Merge them into it with Python’s peft: PeftModel.from_pretrained(model, folder).merge_and_unload(), then save_pretrained(other_folder), and its tokenizer likewise.',
    );
  }
  const found = NOT_READ.find(({ file }) => names.some((name) => file.test(name)));
  if (found) refuse(found.what, found.hint);
}

/** The name of the model that adapters belong to; null where the file does not say. */
function baseOfAdapters(file: string): string | null {
  try {
    const { base_model_name_or_path: base } = JSON.parse(readText(file, ops, MAX_CONFIG)) as {
      base_model_name_or_path?: unknown;
    };
    return typeof base === 'string' && base !== '' ? shorten(base) : null;
  } catch {
    return null;
  }
}

const torchModel = (file: string): ForeignModelFiles => ({
  format: 'torch',
  folder: path.dirname(file),
  weights: file,
  files: [file],
});

const isZip = (file: string): boolean =>
  withFile(file, (source) => firstBytes(source, 4).toString('latin1') === 'PK\x03\x04');

/** Reads a model. @param metaPaths candidates for its characters. @throws UserError `file_damaged`, `checkpoint`, `meta_file`, `tokenization_mismatch` */
export function loadForeignModel(
  found: ForeignModelFiles,
  metaPaths: { readonly given?: string | undefined; readonly candidates?: readonly string[] } = {},
): ForeignModel {
  const { folder } = found;
  const read = readers[found.format](found);
  const { config, weights, facts, notes } = read;
  const dataset = typeof facts['dataset'] === 'string' ? [datasetMeta(facts['dataset'])] : [];
  const candidates = [path.join(folder, 'meta.pkl'), ...dataset, ...(metaPaths.candidates ?? [])];
  const tokenizer = tokenizerOf(found);
  const { metaPath, ...tokenization } = tokenizationOf(config, { given: metaPaths.given, candidates, tokenizer });
  const provenance = { imported_from: found.weights, ...facts };
  return { config, weights, tokenization, provenance, folder, metaPath, notes };
}

type Read = Pick<Model, 'config' | 'weights'> & {
  readonly facts: Readonly<Record<string, Json>>;
  readonly notes: readonly Message[];
};

const readers: Readonly<Record<ForeignModelFiles['format'], (found: ForeignModelFiles) => Read>> = {
  torch: readTorch,
  huggingface: readHuggingFace,
  gguf: readGguf,
};

/** Reads the config alone; null for a PyTorch checkpoint. @throws UserError `file_damaged`, `checkpoint` */
export function foreignModelConfig({ format, folder, weights: file }: ForeignModelFiles): Model['config'] | null {
  if (format === 'torch') return null;
  const configText =
    format === 'huggingface'
      ? configTextIn(folder)
      : withFile(file, (source) => JSON.stringify(readGgufModel(openGguf(source, file), file).config));
  return readHuggingFaceConfig(configText, folder).config;
}

/** Reads config and tokenization; null as above. @throws UserError `file_damaged`, `checkpoint`, `tokenization_mismatch` */
export function foreignModelFacts(
  found: ForeignModelFiles,
): { readonly model: Model['config']; readonly tokenization: Tokenization } | null {
  const model = foreignModelConfig(found);
  if (model === null) return null;
  const candidates = [path.join(found.folder, 'meta.pkl')];
  const from = { given: undefined, candidates, tokenizer: tokenizerOf(found) };
  const { metaPath: _, ...tokenization } = tokenizationOf(model, from);
  return { model, tokenization };
}

const configTextIn = (folder: string): string => readText(path.join(folder, CONFIG), ops, MAX_CONFIG);

function readGguf({ weights: file }: ForeignModelFiles): Read {
  return withFile(file, (source) => {
    const { config, tensors } = readGgufModel(openGguf(source, file), file);
    return { ...readHuggingFaceModel(JSON.stringify(config), tensors, file), facts: { format: 'gguf' } };
  });
}

/** The tokenizer that a model has with it: a part of a GGUF file, or a file of its own in a Hugging Face folder. */
function tokenizerOf({ format, folder, weights }: ForeignModelFiles): string | undefined {
  if (format === 'gguf') return weights;
  const file = path.join(folder, TOKENIZER);
  return format === 'huggingface' && kindAt(file) === 'file' ? file : undefined;
}

function readTorch({ weights: file }: ForeignModelFiles): Read {
  const { config, weights, training } = withFile(file, (source) => readTorchCheckpoint(source, file));
  return { config, weights, facts: { format: 'pytorch', ...training }, notes: [] };
}

function readHuggingFace({ folder, weights: file }: ForeignModelFiles): Read {
  const configText = configTextIn(folder);
  if (kindAt(file) !== 'file') {
    throw new UserError({
      code: 'checkpoint',
      message: localized('projects.no_nor', { folder, WEIGHTS, INDEX }),
      hint: localized('projects.save_model_safetensors_model_save'),
    });
  }
  const opened: OpenFile[] = [];
  const open = (name: string): OpenSafetensors => {
    const source = openFile(path.join(folder, name));
    opened.push(source);
    return openSafetensors(source, path.join(folder, name));
  };
  try {
    const weights = path.basename(file) === INDEX ? openShards(folder, open) : open(path.basename(file));
    return { ...readHuggingFaceModel(configText, weights, folder), facts: { format: 'huggingface' } };
  } finally {
    opened.forEach((source) => source.close());
  }
}

function openShards(folder: string, open: (name: string) => OpenSafetensors): OpenSafetensors {
  const what = path.join(folder, INDEX);
  const index = readShardIndex(readText(what, ops, MAX_INDEX), what);
  const missing = [...new Set(index.values())].find((name) => kindAt(path.join(folder, name)) !== 'file');
  if (missing === undefined) return joinShards(index, open, what);
  throw new UserError({
    code: 'checkpoint',
    message: localized('projects.no_says_weights', { folder, missing, INDEX }),
    hint: localized('projects.use_another_copy_model_all'),
  });
}

/** Where nanoGPT keeps the vocabulary of a dataset, seen from where its commands are run. */
function datasetMeta(dataset: string): string {
  return path.join('data', path.basename(dataset), 'meta.pkl');
}

/** Determines the tokenization: GPT-2's, a tokenizer.json next to it, else characters, which are unknown without a meta.pkl. */
function tokenizationOf(
  { vocab_size: vocabSize, architecture = 'gpt2' }: Read['config'],
  from: {
    readonly given: string | undefined;
    readonly candidates: readonly string[];
    readonly tokenizer: string | undefined;
  },
): Tokenization & { readonly metaPath: string | null } {
  const { given, candidates, tokenizer } = from;
  if (given === undefined && architecture === 'gpt2' && vocabSize >= BPE_VOCABULARY)
    return { method: 'bpe', vocab_size: BPE_VOCABULARY, metaPath: null };
  if (given === undefined && tokenizer !== undefined)
    return { method: 'pretrained', vocab_size: vocabSize, tokenizerPath: tokenizer, metaPath: null };
  const file = given ?? candidates.find((candidate) => kindAt(candidate) === 'file');
  if (file === undefined) return { method: 'char', vocab_size: vocabSize, metaPath: null };
  const { characters } = readMeta(file);
  // nanoGPT can round a vocabulary up, to a number that graphics processors like; the last ids are then never used.
  const isRounded = characters.length < vocabSize && vocabSize % 8 === 0;
  if (characters.length === vocabSize || isRounded)
    return { method: 'char', vocab_size: characters.length, chars: [...characters], metaPath: file };
  throw new UserError({
    code: 'tokenization_mismatch',
    message: localized('projects.vocabulary_size_mismatch_lists_characters', {
      file,
      characters: characters.length,
      vocabSize,
    }),
    hint: localized('projects.give_meta_pkl_data_model'),
    field: 'meta_path',
  });
}
