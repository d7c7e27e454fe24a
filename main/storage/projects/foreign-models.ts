/** Finds and reads models of other programs: PyTorch checkpoints, Hugging Face folders, GGUF files. */
import * as path from 'node:path';
import { isTorchCheckpoint } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { BPE_VOCABULARY } from '../../engine/tokenizer/index.js';
import type { Json } from '../../engine/types.js';
import { firstBytes } from '../../formats/byte-source.js';
import { stateFile } from '../../formats/checkpoint.js';
import { readGgufModel } from '../../formats/gguf/gguf-model.js';
import { charactersOf } from '../../formats/gguf/gguf-vocabulary.js';
import { joinGguf, openGguf } from '../../formats/gguf/gguf.js';
import { readHuggingFaceConfig, readHuggingFaceModel } from '../../formats/huggingface.js';
import { joinShards, readShardIndex } from '../../formats/safetensors-shards.js';
import { openSafetensors, type OpenSafetensors } from '../../formats/safetensors.js';
import { shorten } from '../../formats/shorten.js';
import { refuseOther } from '../../formats/signatures.js';
import { isGpt2 } from '../../formats/gguf/hugging-face-files.js';
import { readTorchCheckpoint } from '../../formats/torch/torch-checkpoint.js';
import { isGguf, readMeta, TOKENIZER, tokenizerFilesAt, tokenizerIn } from '../datasets/tokenizer-files.js';
import { openFile, type OpenFile, readText, withFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';
import { untilChanged } from '../disk/file-stamp.js';
import type { Model, Tokenization } from './models.js';

export interface ForeignModelFiles {
  readonly format: 'torch' | 'huggingface' | 'gguf';
  readonly folder: string;
  /** The file with the weights, or the index of the files that have them. */
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
const MAX_INDEX = 1 << 24;
/** Rows that fill a block of 1024 at most. */
const MAX_FILLED = 1024;

const isFile = (file: string): boolean => kindAt(file) === 'file';
/** Cached, as a draft is checked at every key. */
const isGpt2At = untilChanged((file) => isGpt2(tokenizerFilesAt(file)[TOKENIZER]));
const charactersAt = untilChanged((file) => withFile(file, (source) => charactersOf(openGguf(source, file).metadata)));

/** Finds a model at a path; null for none or one of ours. @throws UserError `checkpoint`, `file_damaged` for a known kind that is not read */
export function findForeignModel(model: string): ForeignModelFiles | null {
  const kind = kindAt(model);
  if (kind === 'none') return null;
  const isFolder = kind === 'folder';
  const folder = isFolder ? model : path.dirname(model);
  if (!isFolder) withFile(model, (file) => refuseOther(file, model, 'gguf', 'json', 'pickle', 'safetensors', 'zip'));
  if (!isFolder && isGguf(model)) return ggufModel(folder, partsOf(folder, path.basename(model)));
  if (!isFolder && (isTorchCheckpoint(model) || isZip(model))) return torchModel(model);
  const has = (name: string) => isFile(path.join(folder, name));
  if (has(stateFile)) return null;
  if (isFolder && has('ckpt.pt')) return torchModel(path.join(folder, 'ckpt.pt'));
  if (isFolder && !has(WEIGHTS) && !has(INDEX)) {
    const names = ggufIn(folder);
    if (names.length > 0) return ggufModel(folder, names);
  }
  if (!has(CONFIG)) {
    if (isFolder) refuseByName(folder);
    return null;
  }
  const inShards = !has(WEIGHTS) && has(INDEX);
  const names = inShards ? [INDEX, ...ops.list(folder).filter((name) => name.endsWith('.safetensors'))] : [WEIGHTS];
  const files = [CONFIG, ...names].map((name) => path.join(folder, name));
  return { format: 'huggingface', folder, weights: path.join(folder, inShards ? INDEX : WEIGHTS), files };
}

const torchModel = (file: string): ForeignModelFiles => ({
  format: 'torch',
  folder: path.dirname(file),
  weights: file,
  files: [file],
});

const isZip = (file: string): boolean =>
  withFile(file, (source) => firstBytes(source, 4).toString('latin1') === 'PK\x03\x04');

/** A part of a model that llama-gguf-split has split. */
const PART = /^(.*-)\d{5}-of-(\d{5})\.gguf$/i;

const ggufModel = (folder: string, names: readonly string[]): ForeignModelFiles => {
  const files = names.map((name) => path.join(folder, name));
  return { format: 'gguf', folder, weights: files[0] ?? folder, files };
};

/** Finds the files of a folder's GGUF model. @throws UserError `checkpoint` naming the models if there are several */
function ggufIn(folder: string): readonly string[] {
  const names = ops.list(folder).filter((name) => /\.gguf$/i.test(name));
  const [first, ...others] = names;
  if (first === undefined) return [];
  const [, start] = PART.exec(first) ?? [];
  if (others.every((name) => start !== undefined && PART.exec(name)?.[1] === start)) return partsOf(folder, first);
  throw checkpoint(localized('models.foreign.several', { folder, names }), localized('models.foreign.choose'));
}

/** Names all parts of the model that a file belongs to, in order. @throws UserError `checkpoint` if some are missing */
function partsOf(folder: string, file: string): readonly string[] {
  const [, start, count] = PART.exec(file) ?? [];
  if (start === undefined) return [file];
  const parts = Array.from(
    { length: Number(count) },
    (_, i) => `${start}${String(i + 1).padStart(5, '0')}-of-${count}${file.slice(-5)}`,
  );
  const missing = parts.filter((name) => !isFile(path.join(folder, name)));
  if (missing.length === 0) return parts;
  throw checkpoint(
    localized('models.foreign.parts', { folder, parts: parts.length, missing }),
    localized('models.foreign.add_parts'),
  );
}

/** Kinds of model folders that are not read, by a file that only they have. */
const NOT_READ = [
  [/\.onnx$/, 'onnx'],
  [/^(saved_model\.pb|.*\.keras|tf_model\.h5)$/, 'keras'],
  [/^pytorch_model.*\.bin$/, 'bin'],
] as const;

/** @throws UserError `checkpoint` */
function refuseByName(folder: string): void {
  const names = ops.list(folder);
  if (names.includes(ADAPTERS)) {
    const base = baseOfAdapters(path.join(folder, ADAPTERS));
    throw checkpoint(
      localized('models.foreign.adapters', { folder, base }),
      localized('models.foreign.merge_adapters'),
    );
  }
  const [, kind] = NOT_READ.find(([file]) => names.some((name) => file.test(name))) ?? [];
  if (kind) throw checkpoint(localized(`models.unread.${kind}`, { folder }), localized(`models.instead.${kind}`));
}

function baseOfAdapters(file: string): string | null {
  try {
    const facts = JSON.parse(readText(file, ops, MAX_CONFIG)) as { readonly base_model_name_or_path?: unknown };
    const base = facts.base_model_name_or_path;
    return typeof base === 'string' && base !== '' ? shorten(base) : null;
  } catch {
    return null;
  }
}

/** Reads a model. @param metaPaths candidates for its characters. @throws UserError `file_damaged`, `checkpoint`, `meta_file`, `tokenization_mismatch` */
export function loadForeignModel(
  found: ForeignModelFiles,
  metaPaths: { readonly given?: string | undefined; readonly candidates?: readonly string[] } = {},
): ForeignModel {
  const { config, weights, facts, notes } = readers[found.format](found);
  // nanoGPT stores the vocabulary of a dataset below its working directory.
  const dataset = facts['dataset'];
  const trained = typeof dataset === 'string' ? [path.join('data', path.basename(dataset), 'meta.pkl')] : [];
  const candidates = [...trained, ...(metaPaths.candidates ?? [])];
  const { metaPath, ...tokenization } = tokenizationOf(found, config, { given: metaPaths.given, candidates });
  const provenance = { imported_from: found.weights, ...facts };
  const leftOut = tokenization.tokenizerPath === undefined ? [] : tokensLeftOut(tokenization.tokenizerPath);
  return { config, weights, tokenization, provenance, folder: found.folder, metaPath, notes: [...notes, ...leftOut] };
}

/** Reports tokens without rows. A tokenizer that is not read is refused where it is used: weights alone may be wanted. */
function tokensLeftOut(what: string): Message[] {
  const notes: Message[] = [];
  try {
    tokenizerFilesAt(what, (tokens) => notes.push(localized('imported.tokensBeyond', { what, tokens })));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return notes;
}

type Read = Pick<Model, 'config' | 'weights'> & {
  readonly facts: Readonly<Record<string, Json>>;
  readonly notes: readonly Message[];
};

const readers: Readonly<Record<ForeignModelFiles['format'], (found: ForeignModelFiles) => Read>> = {
  torch({ weights: file }) {
    const { config, weights, training } = withFile(file, (source) => readTorchCheckpoint(source, file));
    return { config, weights, facts: { format: 'pytorch', ...training }, notes: [] };
  },
  gguf: ({ files, weights: file }) =>
    withGguf(files, ({ config, tensors }) => ({
      ...readHuggingFaceModel(JSON.stringify(config), tensors, file, false),
      facts: { format: 'gguf' },
    })),
  huggingface: readHuggingFace,
};

function withGguf<T>(files: readonly string[], use: (model: ReturnType<typeof readGgufModel>) => T): T {
  const [file = ''] = files;
  return withFiles((open) =>
    use(
      readGgufModel(
        joinGguf(
          files.map((each) => openGguf(open(each), each)),
          file,
        ),
        file,
      ),
    ),
  );
}

function withFiles<T>(use: (open: (file: string) => OpenFile) => T): T {
  const opened: OpenFile[] = [];
  try {
    return use((file) => {
      const source = openFile(file);
      opened.push(source);
      return source;
    });
  } finally {
    opened.forEach((source) => source.close());
  }
}

/** Reads the config alone; null for a PyTorch checkpoint. @throws UserError `file_damaged`, `checkpoint` */
export function foreignModelConfig({ format, folder, files }: ForeignModelFiles): Model['config'] | null {
  if (format === 'torch') return null;
  const configText =
    format === 'huggingface' ? configTextIn(folder) : withGguf(files, ({ config }) => JSON.stringify(config));
  return readHuggingFaceConfig(configText, folder).config;
}

/** Reads config and tokenization; null for a PyTorch checkpoint. @throws UserError `file_damaged`, `checkpoint`, `tokenization_mismatch` */
export function foreignModelFacts(
  found: ForeignModelFiles,
): { readonly model: Model['config']; readonly tokenization: Tokenization } | null {
  const model = foreignModelConfig(found);
  if (model === null) return null;
  const { metaPath: _, ...tokenization } = tokenizationOf(found, model, { given: undefined, candidates: [] });
  return { model, tokenization };
}

const configTextIn = (folder: string): string => readText(path.join(folder, CONFIG), ops, MAX_CONFIG);

function readHuggingFace({ folder, weights: file }: ForeignModelFiles): Read {
  const configText = configTextIn(folder);
  if (!isFile(file)) {
    throw checkpoint(
      localized('models.foreign.no_weights', { folder, weights: WEIGHTS, index: INDEX }),
      localized('projects.save_model_safetensors_model_save'),
    );
  }
  return withFiles((use) => {
    const open = (name: string): OpenSafetensors => {
      const each = path.join(folder, name);
      return openSafetensors(use(each), each);
    };
    const weights = path.basename(file) === INDEX ? openShards(folder, open) : open(path.basename(file));
    return { ...readHuggingFaceModel(configText, weights, folder), facts: { format: 'huggingface' } };
  });
}

function openShards(folder: string, open: (name: string) => OpenSafetensors): OpenSafetensors {
  const what = path.join(folder, INDEX);
  const index = readShardIndex(readText(what, ops, MAX_INDEX), what);
  const missing = [...new Set(index.values())].find((name) => !isFile(path.join(folder, name)));
  if (missing === undefined) return joinShards(index, open, what);
  throw checkpoint(
    localized('models.foreign.no_shard', { folder, missing, index: INDEX }),
    localized('projects.use_another_copy_model_all'),
  );
}

const checkpoint = (message: Message, hint: Message): UserError => new UserError({ code: 'checkpoint', message, hint });

/**
 * Determines the tokenization: that of the tokenizer or characters in the file or folder; else characters, by a meta.pkl; else GPT-2's for
 * a network of its shape with as many rows, or a few more to fill a block.
 */
function tokenizationOf(
  { format, folder, weights }: ForeignModelFiles,
  { vocab_size: vocabSize, architecture = 'gpt2' }: Model['config'],
  { given, candidates }: { readonly given: string | undefined; readonly candidates: readonly string[] },
): Tokenization & { readonly metaPath: string | null } {
  const bpe = { method: 'bpe', vocab_size: BPE_VOCABULARY, metaPath: null } as const;
  const own = path.join(folder, 'meta.pkl');
  const chars = format === 'gguf' && given === undefined ? charactersAt(weights) : null;
  const isOpen = given === undefined && chars === null;
  const tokenizer = format === 'gguf' ? weights : tokenizerIn(folder);
  if (isOpen && tokenizer !== null && (format === 'gguf' || !isFile(own))) {
    if (architecture === 'gpt2' && isGpt2At(tokenizer)) return bpe;
    return { method: 'pretrained', vocab_size: vocabSize, tokenizerPath: tokenizer, metaPath: null };
  }
  const isGpt2Size = vocabSize >= BPE_VOCABULARY && vocabSize < BPE_VOCABULARY + MAX_FILLED;
  if (isOpen && architecture === 'gpt2' && isGpt2Size) return bpe;
  const file = chars ? weights : (given ?? [own, ...candidates].find(isFile));
  if (file === undefined) return { method: 'char', vocab_size: vocabSize, metaPath: null };
  const characters = chars ?? readMeta(file).characters;
  // nanoGPT can round a vocabulary up to a multiple of 8; the last ids are then never used.
  const isRounded = characters.length < vocabSize && vocabSize % 8 === 0;
  if (characters.length === vocabSize || isRounded) {
    return { method: 'char', vocab_size: characters.length, chars: [...characters], metaPath: chars ? null : file };
  }
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
