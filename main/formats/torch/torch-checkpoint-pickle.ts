/** Lists what a PyTorch checkpoint's pickle may name. (torch/_utils.py, torch/serialization.py) */
import { localized } from '../../../shared/messages/message.js';
import { damaged } from '../faults.js';
import type { NumberFormat } from '../number-formats.js';
import {
  OrderedDict,
  PickleGlobal,
  PickleObject,
  PickleRecord,
  type PickleRules,
  type PickleValue,
} from '../pickle/pickle.js';

/** Consecutive numbers in the file, under `data/<key>`. */
export class StorageReference extends PickleObject {
  constructor(
    readonly format: NumberFormat,
    readonly key: string,
    readonly count: number,
  ) {
    super();
  }
}

/** A tensor: a view of a storage. `offset` and `strides` count numbers. */
export class TensorReference extends PickleObject {
  constructor(
    readonly storage: StorageReference,
    readonly offset: number,
    readonly shape: readonly number[],
    readonly strides: readonly number[],
  ) {
    super();
  }
}

const storages: Readonly<Record<string, NumberFormat>> = {
  FloatStorage: 'F32',
  HalfStorage: 'F16',
  BFloat16Storage: 'BF16',
  DoubleStorage: 'F64',
  LongStorage: 'I64',
  IntStorage: 'I32',
  ShortStorage: 'I16',
  CharStorage: 'I8',
  ByteStorage: 'U8',
  BoolStorage: 'BOOL',
};
const storageGlobals = new Map(
  Object.entries(storages).map(([name, format]) => [new PickleGlobal(`torch.${name}`), format]),
);

const isCount = (value: PickleValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isCounts = (value: PickleValue | undefined): value is number[] => Array.isArray(value) && value.every(isCount);

function rebuildTensor([storage, offset, shape, strides]: readonly PickleValue[]): PickleValue | null {
  if (!(storage instanceof StorageReference) || !isCount(offset)) return null;
  if (!isCounts(shape) || !isCounts(strides) || shape.length !== strides.length || shape.length > 8) return null;
  return new TensorReference(storage, offset, [...shape], [...strides]);
}

const functions: readonly PickleGlobal[] = [
  new PickleGlobal('collections.OrderedDict', (args) => (args.length === 0 ? new OrderedDict() : null)),
  new PickleGlobal('torch._utils._rebuild_tensor_v2', rebuildTensor),
  new PickleGlobal('torch._utils._rebuild_parameter', ([data]) => (data instanceof TensorReference ? data : null)),
  new PickleGlobal('torch.Size', ([sizes]) => (isCounts(sizes) ? sizes : null)),
  new PickleGlobal('torch.device', ([name]) => (typeof name === 'string' ? name : null)),
  ...['types.SimpleNamespace', 'argparse.Namespace'].map(recordClass),
  ...['float64', 'float32', 'float16', 'bfloat16', 'int64'].map((name) => new PickleGlobal(`torch.${name}`)),
];

function recordClass(name: string): PickleGlobal {
  return new PickleGlobal(name, (args) => (args.length === 0 ? new PickleRecord(name) : null));
}

const known = new Map([...functions, ...storageGlobals.keys()].map((global) => [global.name, global]));

/** Configuration objects, such as the specification's `model.GPTConfig`, which are read as their fields. */
const configuration = /^[A-Za-z_][\w.]*\.[A-Za-z_]\w*Config$/;

function findGlobal(module: string, name: string): PickleGlobal | null {
  const full = `${module}.${name}`;
  return known.get(full) ?? (configuration.test(full) ? recordClass(full) : null);
}

/** ('storage', type, key, where it was computed, how many numbers) */
function findStorage(id: PickleValue): StorageReference | null {
  if (!Array.isArray(id) || id.length !== 5) return null;
  const [kind, type, key, , count] = id;
  const format = type instanceof PickleGlobal ? storageGlobals.get(type) : undefined;
  if (kind !== 'storage' || format === undefined || typeof key !== 'string' || !isCount(count)) return null;
  return new StorageReference(format, key, count);
}

export const torchRules = (what: string): PickleRules => ({
  global: findGlobal,
  persistent: findStorage,
  refuse: (why, at) => damaged(what, localized('torch.pickle', { why, at })),
});
