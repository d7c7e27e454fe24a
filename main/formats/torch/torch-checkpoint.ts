/** Reads nanoGPT's ckpt.pt and the specification's base_model.pt: `model`, and `model_args` or `config`. (specification 5.3) */
import { elements } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { bytes, localized } from '../../../shared/messages/message.js';
import type { Json, NamedArrays } from '../../engine/types.js';
import { bytesAt, type ByteSource, firstBytes } from '../byte-source.js';
import { damaged, notUsable } from '../faults.js';
import { parseModelConfig, takeWeights, unwrappedNames } from '../foreign-weights.js';
import { bytesPerNumber, decodeNumbers, isWeightFormat } from '../number-formats.js';
import { MAX_PICKLE, PickleRecord, type PickleValue, readPickle } from '../pickle/pickle.js';
import { quoted, shorten } from '../shorten.js';
import { refuseOther } from '../signatures.js';
import { openZip, type ZipArchive, type ZipEntry } from '../zip.js';
import { type StorageReference, TensorReference, torchRules } from './torch-checkpoint-pickle.js';

interface TorchCheckpoint {
  readonly config: GPTConfig;
  readonly weights: NamedArrays;
  /** nanoGPT's facts of the training: iter_num, best_val_loss, and the name of the dataset. */
  readonly training: Readonly<Record<string, Json>>;
}

/** Tensors may share numbers, as a tied output layer does: this bounds how often each number is read, on average. */
const MAX_SHARE = 3;

/** Reads nothing but data; no code is run. @throws UserError `file_damaged`; `checkpoint` for another architecture */
export function readTorchCheckpoint(source: ByteSource, what: string): TorchCheckpoint {
  const file = openTorchFile(source, what);
  const root = fieldsOf(file.value);
  const state = root?.get('model');
  if (!root || !(state instanceof Map))
    throw notUsable(what, localized('torch.noModel'), localized('torch.noModel.hint'));
  const references = stateTensors(state, what);
  const shapes = new Map([...references].map(([name, { shape }]) => [name, shape]));
  const config = modelConfig(root, shapes, what);
  const read = (name: string) => file.read(references.get(name) as TensorReference, name);
  return { config, weights: takeWeights(config, { shapes, read }, what), training: trainingFacts(root, file) };
}

interface TorchFile {
  readonly value: PickleValue;
  /** A tensor's numbers in row-major order, in memory of their own. @throws UserError `file_damaged` */
  read(tensor: TensorReference, name: string): Float32Array;
}

function openTorchFile(source: ByteSource, what: string): TorchFile {
  refuseOther(source, what, 'zip', 'pickle');
  // PyTorch before 1.6 wrote pickles one after the other; they are not read.
  if (firstBytes(source, 1)[0] === 0x80) throw damaged(what, localized('torch.legacy'));
  const zip = openZip(source, { damaged: (why) => damaged(what, why), deflated: null });
  const pickles = [...zip.entries.values()].filter(({ name }) => /^[^/]+\/data\.pkl$/.test(name));
  const [pickle] = pickles;
  if (pickle === undefined || pickles.length > 1) throw damaged(what, localized('torch.onePickle'));
  const folder = pickle.name.slice(0, -'data.pkl'.length);
  checkByteOrder(zip, folder, what);
  if (pickle.size > MAX_PICKLE)
    throw damaged(what, localized('zip.tooLarge', { name: 'data.pkl', most: bytes(MAX_PICKLE) }));
  const verified = new Set<ZipEntry>();
  let readSoFar = 0;

  function findStorage({ format, key, count }: StorageReference): ZipEntry {
    const entry = zip.entries.get(`${folder}data/${key}`);
    const name = `data/${shorten(key)}`;
    if (entry === undefined) throw damaged(what, localized('damage.missing', { name }));
    const expected = count * bytesPerNumber[format];
    if (entry.size !== expected) throw damaged(what, localized('torch.size', { name, found: entry.size, expected }));
    if (!verified.has(entry)) zip.verify(entry);
    verified.add(entry);
    return entry;
  }

  return {
    value: readPickle(zip.read(pickle), torchRules(what)),
    read({ storage, offset, shape, strides }, name) {
      const { format } = storage;
      if (!isWeightFormat(format)) throw damaged(what, localized('torch.type', { name, type: format }));
      const entry = findStorage(storage);
      if (!isRowMajor(shape, strides)) throw damaged(what, localized('torch.contiguous', { name }));
      const count = elements(shape);
      if (offset + count > storage.count) throw damaged(what, localized('damage.tensorPlace', { name }));
      const size = bytesPerNumber[format];
      readSoFar += count * size;
      if (readSoFar > MAX_SHARE * source.byteLength) throw damaged(what, localized('torch.shared'));
      return decodeNumbers(format, bytesAt(source, entry.begin + offset * size, count * size).buffer);
    },
  };
}

function checkByteOrder(zip: ZipArchive, folder: string, what: string): void {
  const entry = zip.entries.get(`${folder}byteorder`);
  if (entry === undefined) return; // before PyTorch 2.1: from a little-endian machine, as all in use are
  const order = entry.size <= 16 ? new TextDecoder().decode(zip.read(entry)) : '';
  if (order !== 'little') throw damaged(what, localized('torch.byteOrder', { order: JSON.stringify(order) }));
}

function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] ?? 1;
    if (size > 1 && strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}

/** A dictionary, or an object's fields; null for anything else. */
function fieldsOf(value: PickleValue | undefined): ReadonlyMap<PickleValue, PickleValue> | null {
  if (value instanceof PickleRecord) return value.fields;
  return value instanceof Map ? value : null;
}

/** Returns the weights by their names without what wrappers add. */
function stateTensors(state: ReadonlyMap<PickleValue, PickleValue>, what: string): Map<string, TensorReference> {
  const tensors = new Map<string, TensorReference>();
  const hint = localized('torch.stateDict.hint');
  for (const [key, value] of state) {
    if (typeof key !== 'string' || !(value instanceof TensorReference))
      throw notUsable(what, localized('torch.notTensor', { name: quoted(String(key)) }), hint);
    tensors.set(key, value);
  }
  const theirs = unwrappedNames(tensors.keys(), what);
  return new Map([...theirs].map(([ours, name]) => [ours, tensors.get(name) as TensorReference]));
}

type Shapes = ReadonlyMap<string, readonly number[]>;

/** Reads the shape of the network; settings that the file omits follow from the tensors. */
function modelConfig(root: ReadonlyMap<PickleValue, PickleValue>, shapes: Shapes, what: string): GPTConfig {
  const fields = [fieldsOf(root.get('model_args')), fieldsOf(root.get('config'))].find((one) => one?.has('n_layer'));
  if (!fields) throw notUsable(what, localized('torch.noShape'), localized('torch.noShape.hint'));
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
      // The specification's programs change `mode` in place; the head among the weights decides.
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
