/** Reads nanoGPT's ckpt.pt and the specification's base_model.pt: `model`, and `model_args` or `config`. (specification 5.3) */
import type { GPTConfig } from '../../../shared/config/model.js';
import { type ForeignTensors, notUsable, parseModelConfig, takeWeights } from '../foreign-weights.js';
import { PickleRecord, type PickleValue } from '../pickle/pickle.js';
import type { ByteSource } from '../byte-source.js';
import { quoted, shorten } from '../shorten.js';
import { TensorReference } from './torch-checkpoint-pickle.js';
import { openTorchFile, type TorchFile } from './torch-checkpoint-tensors.js';
import type { Json, NamedArrays } from '../../engine/types.js';

interface TorchCheckpoint {
  readonly config: GPTConfig;
  readonly weights: NamedArrays;
  /** What nanoGPT notes of the training: iter_num, best_val_loss, and the name of the dataset. */
  readonly training: Readonly<Record<string, Json>>;
}

/** @throws UserError `file_damaged` when it is not a checkpoint; `checkpoint` for another architecture */
export function readTorchCheckpoint(source: ByteSource, what: string): TorchCheckpoint {
  const file = openTorchFile(source, what);
  const root = fieldsOf(file.value);
  const state = root?.get('model');
  if (!root || !(state instanceof Map)) {
    throw notUsable(
      what,
      'it holds no "model" with its weights beside "model_args" or "config"',
      "Save it as nanoGPT does: torch.save({'model': model.state_dict(), 'model_args': model_args}, path).",
    );
  }
  const references = stateTensors(state, what);
  const tensors: ForeignTensors = {
    shapes: new Map([...references].map(([name, { shape }]) => [name, shape])),
    read(name) {
      const tensor = references.get(name);
      if (tensor === undefined) throw new Error(`${what} has no tensor ${name}`);
      return file.read(tensor, name);
    },
  };
  const config = modelConfig(root, tensors.shapes, what);
  return { config, weights: takeWeights(config, tensors, what), training: trainingFacts(root, file) };
}

/** A dictionary, or an object's fields; null for anything else. */
function fieldsOf(value: PickleValue | undefined): ReadonlyMap<PickleValue, PickleValue> | null {
  if (value instanceof PickleRecord) return value.fields;
  return value instanceof Map ? value : null;
}

/** The weights without the prefixes that torch.compile and DistributedDataParallel put before their names. */
function stateTensors(state: ReadonlyMap<PickleValue, PickleValue>, what: string): Map<string, TensorReference> {
  const tensors = new Map<string, TensorReference>();
  for (const [key, value] of state) {
    if (typeof key !== 'string' || !(value instanceof TensorReference)) {
      throw notUsable(what, `${quoted(String(key))} in its model is not a tensor`, 'Save model.state_dict().');
    }
    const name = key.replace(/^(?:_orig_mod\.|module\.)+/, '');
    if (tensors.has(name)) throw notUsable(what, `its model has ${shorten(name)} twice`, 'Save model.state_dict().');
    tensors.set(name, value);
  }
  return tensors;
}

type Shapes = ReadonlyMap<string, readonly number[]>;

/** Reads the shape of the network; settings that the file leaves out follow from the tensors. */
function modelConfig(root: ReadonlyMap<PickleValue, PickleValue>, shapes: Shapes, what: string): GPTConfig {
  const fields = [fieldsOf(root.get('model_args')), fieldsOf(root.get('config'))].find((one) => one?.has('n_layer'));
  if (!fields) {
    throw notUsable(
      what,
      'it does not say how many layers and heads the model has',
      'Save "model_args" or "config" with it, as nanoGPT does.',
    );
  }
  const take = (key: keyof GPTConfig, otherwise?: unknown) => (fields.has(key) ? fields.get(key) : otherwise);
  const [vocabulary, width] = shapes.get('transformer.wte.weight') ?? [];
  const head = shapes.get('reward_head.0.weight');
  return parseModelConfig(
    {
      n_layer: take('n_layer'),
      n_head: take('n_head'),
      n_embd: take('n_embd', width),
      block_size: take('block_size', shapes.get('transformer.wpe.weight')?.[0]),
      vocab_size: take('vocab_size', vocabulary),
      dropout: take('dropout', 0),
      bias: take('bias', shapes.has('transformer.ln_f.bias')),
      // The specification changes `mode` in place while they work; which head the weights have is what counts.
      mode: head === undefined ? 'generator' : 'reward',
      ...(head === undefined ? {} : { reward_head_hidden_dim: head[0] }),
    },
    what,
  );
}

function trainingFacts(root: ReadonlyMap<PickleValue, PickleValue>, file: TorchFile): Record<string, Json> {
  const facts: Record<string, Json> = {};
  const steps = root.get('iter_num');
  if (typeof steps === 'number') facts['iter_num'] = steps;
  const loss = root.get('best_val_loss');
  const isScalar = loss instanceof TensorReference && loss.shape.length === 0 && loss.storage.format === 'F32';
  const value = isScalar ? file.read(loss, 'best_val_loss')[0] : loss;
  if (typeof value === 'number' && Number.isFinite(value)) facts['best_val_loss'] = value;
  const dataset = fieldsOf(root.get('config'))?.get('dataset');
  if (typeof dataset === 'string') facts['dataset'] = dataset;
  return facts;
}
