/** Writes a model in the form another program reads: a Hugging Face folder, or nanoGPT's checkpoint. */
import { UserError } from '../../../shared/errors.js';
import { writeHuggingFaceModel } from '../../formats/huggingface.js';
import { stableJson } from '../../formats/stable-json.js';
import { writeMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { BPE_VOCABULARY } from '../../engine/tokenizer/index.js';
import { encodeTorchCheckpoint } from '../../formats/torch/torch-checkpoint-write.js';
import type { Json } from '../../engine/types.js';
import { writeFolderAtomic } from '../../storage/disk/atomic.js';
import type { Bytes } from '../../storage/disk/file-bytes.js';
import { TOKENIZER, tokenizerJsonAt } from '../../storage/datasets/tokenizer-files.js';
import { mustLieOutside, realPath } from '../../storage/projects/export-place.js';
import type { Model, Tokenization } from '../../storage/projects/models.js';
import { mustBeFinite, openAnyModel } from '../models.js';
import type { Job } from '../types.js';

interface ModelExport {
  readonly model_path: string;
  readonly out_dir: string;
  readonly format: 'huggingface' | 'nanogpt';
}

export const exportJob: Job<ModelExport> = async ({ model_path, format, out_dir }, context) => {
  mustLieOutside(out_dir);
  const model = openAnyModel(model_path, { context });
  mustBeFinite(model, model_path);
  if (format === 'huggingface' && model.config.mode === 'reward') {
    throw new UserError({
      code: 'checkpoint',
      message: `${model_path} is a reward model; transformers has no such head`,
      hint: 'Export it with --format nanogpt, or give --model_path a base model.',
      field: 'model_path',
    });
  }
  if (format === 'nanogpt' && model.config.architecture === 'llama') {
    throw new UserError({
      code: 'checkpoint',
      message: `${model_path} is of Llama’s family; nanoGPT’s checkpoints hold GPT-2’s`,
      hint: 'Export it with --format huggingface.',
      field: 'format',
    });
  }
  if (realPath(out_dir) === realPath(model.folder)) {
    const hint = 'Give --out_dir another folder.';
    throw new UserError({ code: 'exists', message: `${out_dir} holds what is exported`, hint, field: 'out_dir' });
  }
  const files = format === 'huggingface' ? huggingFaceFiles(model) : nanoGptFiles(model);
  // The other format's export, a model or anything else under this name stays.
  writeFolderAtomic(out_dir, { ...files, ...vocabulary(model.tokenization) }, { holds: { kind: 'export', format } });
  return { out_dir, format, parameters: parameterCount(model.config), files: Object.keys(files).sort() };
};

function huggingFaceFiles({ config, weights, tokenization }: Model): Record<string, Bytes> {
  const isBpe = tokenization.method === 'bpe';
  const readme = [
    'This model was exported by Verisim for Hugging Face transformers:',
    '',
    '    from transformers import AutoModelForCausalLM',
    '    model = AutoModelForCausalLM.from_pretrained("this folder")',
    '',
    isBpe
      ? 'Its tokens are GPT-2’s: AutoTokenizer.from_pretrained("gpt2").'
      : tokenization.method === 'pretrained'
        ? 'Its tokens are those of tokenizer.json: AutoTokenizer.from_pretrained("this folder").'
        : characterNote('stoi and itos are dictionaries from characters to token ids and back'),
  ];
  return {
    ...writeHuggingFaceModel(config, weights, isBpe ? BPE_VOCABULARY - 1 : null),
    'README.txt': `${readme.join('\n')}\n`,
  };
}

/** Where nanoGPT's sample.py looks for the characters: data/<this>/meta.pkl. */
const DATASET = 'verisim';

function nanoGptFiles({ config, weights, tokenization, provenance }: Model): Record<string, Bytes> {
  const isChar = tokenization.method === 'char';
  const number = (keys: readonly string[], otherwise: number) =>
    keys.map((key): Json | undefined => provenance[key]).find((value) => typeof value === 'number') ?? otherwise;
  const readme = [
    'This model was exported by Verisim in the form of nanoGPT’s checkpoints:',
    '',
    config.mode === 'generator'
      ? '    python sample.py --out_dir="this folder"'
      : "    torch.load('ckpt.pt')['model'] are the weights, 'model_args' the arguments of the documented GPTConfig",
    '',
    'It holds no optimizer: nanoGPT can sample from it, not resume its training.',
    isChar
      ? characterNote(`for nanoGPT, copy it to data/${DATASET}/meta.pkl`)
      : `Its tokens are ${tokenization.method === 'bpe' ? 'GPT-2’s' : 'those of tokenizer.json'}.`,
  ];
  const checkpoint = encodeTorchCheckpoint(config, weights, {
    iter_num: number(['iterations', 'iter_num'], 0),
    best_val_loss: number(['val_loss', 'best_val_loss'], 1e9), // nanoGPT's own start
    dataset: isChar ? DATASET : null,
  });
  return { 'ckpt.pt': checkpoint, 'README.txt': `${readme.join('\n')}\n` };
}

const characterNote = (how: string) => `Its tokens are characters; meta.pkl lists them (${how}).`;

function vocabulary({ chars, tokenizerPath }: Tokenization): Record<string, Bytes> {
  if (chars !== undefined) return { 'meta.pkl': writeMetaPickle(chars) };
  if (tokenizerPath === undefined) return {};
  return {
    [TOKENIZER]: tokenizerJsonAt(tokenizerPath),
    // Which of transformers' classes reads it.
    'tokenizer_config.json': `${stableJson({ tokenizer_class: 'PreTrainedTokenizerFast' }, 2)}\n`,
  };
}
