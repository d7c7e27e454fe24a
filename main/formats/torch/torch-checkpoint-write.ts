/** Writes a checkpoint for torch.load, as nanoGPT's sample.py reads it. Equal models give equal bytes. */
import { elements } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { crc32 } from '../crc32.js';
import type { NamedArrays } from '../../engine/types.js';

/** The facts that nanoGPT stores next to the weights. */
interface TorchFacts {
  readonly iter_num: number;
  readonly best_val_loss: number;
  /** Where nanoGPT looks for the characters: data/<dataset>/meta.pkl. */
  readonly dataset: string | null;
}

const HEAD = 'lm_head.weight';
const EMBEDDING = 'transformer.wte.weight';
const FOLDER = 'ckpt';

/** @returns the file's bytes in pieces; the numbers are views of the weights' own memory */
export function encodeTorchCheckpoint(config: GPTConfig, weights: NamedArrays, facts: TorchFacts): Uint8Array[] {
  const tensors = Object.entries(weights).map(([name, array], key) => ({ name, array, key: String(key) }));
  const embedding = tensors.find(({ name }) => name === EMBEDDING);
  // PyTorch sees one tensor under two names, as in nanoGPT.
  const tied = config.mode === 'generator' && embedding ? [{ ...embedding, name: HEAD }] : [];
  const pickle = dictionary({
    model: ordered([...tensors, ...tied].map(({ name, array, key }) => [name, tensor(key, array.shape)])),
    model_args: dictionary(modelArguments(config)),
    iter_num: facts.iter_num,
    best_val_loss: float(facts.best_val_loss),
    config: dictionary(facts.dataset === null ? {} : { dataset: facts.dataset }),
  });
  return encodeZip([
    { name: `${FOLDER}/data.pkl`, bytes: Uint8Array.from([0x80, 2, ...pickle, 0x2e]) }, // PROTO 2 … STOP
    { name: `${FOLDER}/byteorder`, bytes: utf8.encode('little') },
    ...tensors.map(({ array: { data }, key }) => ({
      name: `${FOLDER}/data/${key}`,
      bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    })),
    { name: `${FOLDER}/version`, bytes: utf8.encode('3\n') },
  ]);
}

/** nanoGPT's GPTConfig takes these and no others; the specification's takes two more. */
function modelArguments(config: GPTConfig): Record<string, Value> {
  const { n_layer, n_head, n_embd, block_size, bias, vocab_size, dropout, mode, reward_head_hidden_dim } = config;
  const shape = { n_layer, n_head, n_embd, block_size, bias, vocab_size, dropout };
  return mode === 'reward' ? { ...shape, mode, reward_head_hidden_dim } : shape;
}

const utf8 = new TextEncoder();

/** Instructions of pickle protocol 2 that torch.load knows with weights_only, its default. */
type Code = readonly number[];
type Value = string | number | boolean | Code;

const code = (value: Value): Code =>
  typeof value === 'boolean'
    ? [value ? 0x88 : 0x89] // NEWTRUE, NEWFALSE
    : typeof value === 'string'
      ? text(value)
      : typeof value === 'number'
        ? number(value)
        : value;

function text(value: string): Code {
  const bytes = utf8.encode(value);
  return [0x58, ...littleEndian(BigInt(bytes.length), 4), ...bytes]; // BINUNICODE
}

function number(value: number): Code {
  if (!Number.isInteger(value)) return float(value);
  return value >= -(2 ** 31) && value < 2 ** 31
    ? [0x4a, ...littleEndian(BigInt(value), 4)] // BININT
    : [0x8a, 8, ...littleEndian(BigInt(value), 8)]; // LONG1
}

function float(value: number): Code {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, false);
  return [0x47, ...new Uint8Array(view.buffer)]; // BINFLOAT
}

/** MARK, keys and values, SETITEMS */
const items = (entries: readonly (readonly [string, Value])[]): Code => [
  0x28,
  ...entries.flatMap(([key, value]) => [...text(key), ...code(value)]),
  0x75,
];
/** EMPTY_DICT and its items */
const dictionary = (values: Readonly<Record<string, Value>>): Code => [0x7d, ...items(Object.entries(values))];
/** MARK, items, TUPLE */
const tuple = (...values: readonly Value[]): Code => [0x28, ...values.flatMap(code), 0x74];
/** GLOBAL */
const global = (module: string, name: string): Code => [0x63, ...utf8.encode(`${module}\n${name}\n`)];
/** A function, its arguments, REDUCE */
const call = (module: string, name: string, given: Code): Code => [...global(module, name), ...given, 0x52];
/** `0x29` is EMPTY_TUPLE. */
const ordered = (entries: readonly (readonly [string, Value])[]): Code => [
  ...call('collections', 'OrderedDict', [0x29]),
  ...items(entries),
];

/** torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, backward_hooks) */
function tensor(key: string, shape: readonly number[]): Code {
  const strides = shape.map((_, axis) => elements(shape.slice(axis + 1)));
  const storage = [...tuple('storage', global('torch', 'FloatStorage'), key, 'cpu', elements(shape)), 0x51]; // BINPERSID
  const given = tuple(storage, 0, tuple(...shape), tuple(...strides), false, ordered([]));
  return call('torch._utils', '_rebuild_tensor_v2', given);
}

/** The bytes of a whole number, two's complement. */
function littleEndian(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** Numbers, each in so many bytes. */
const fields = (...numbers: readonly (readonly [value: number, count: number])[]): number[] =>
  numbers.flatMap(([value, count]) => littleEndian(BigInt(value), count));

interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** PyTorch maps numbers into memory if they start on such a multiple. */
const ALIGNMENT = 64;
const UTF8 = 1 << 11;
const [WIDE2, WIDE4] = [0xffff, 0xffffffff];

/** Encodes a zip archive: stored, aligned for mapping, all sizes in 64 bits. The parts' bytes are not copied. (APPNOTE.TXT 4.3, 4.5) */
function encodeZip(parts: readonly ZipPart[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const central: number[] = [];
  let at = 0;
  for (const { name, bytes } of parts) {
    const nameBytes = [...utf8.encode(name)];
    const size = bytes.length;
    const wide = fields([1, 2], [16, 2], [size, 8], [size, 8]);
    const padding = -(at + 30 + nameBytes.length + wide.length + 4) & (ALIGNMENT - 1);
    const extra = [...wide, ...fields([0x4246, 2], [padding, 2]), ...new Array<number>(padding).fill(0x5a)];
    // Version, flags, method, time and date, checksum, sizes, lengths of name and extra field.
    const common = (extraSize: number): number[] => [
      ...fields([45, 2], [UTF8, 2], [0, 2], [0, 4], [crc32(bytes), 4]),
      ...fields([WIDE4, 4], [WIDE4, 4], [nameBytes.length, 2], [extraSize, 2]),
    ];
    const local = [...fields([0x04034b50, 4]), ...common(extra.length), ...nameBytes, ...extra];
    const place = fields([1, 2], [24, 2], [size, 8], [size, 8], [at, 8]);
    central.push(...fields([0x02014b50, 4], [45, 2]), ...common(place.length));
    central.push(...fields([0, 2], [0, 2], [0, 2], [0, 4], [WIDE4, 4]), ...nameBytes, ...place);
    pieces.push(Uint8Array.from(local), bytes);
    at += local.length + size;
  }
  const [count, length] = [parts.length, central.length];
  const end = [
    ...fields([0x06064b50, 4], [44, 8], [45, 2], [45, 2], [0, 4], [0, 4], [count, 8], [count, 8], [length, 8], [at, 8]),
    ...fields([0x07064b50, 4], [0, 4], [at + length, 8], [1, 4]),
    ...fields([0x06054b50, 4], [0, 2], [0, 2], [WIDE2, 2], [WIDE2, 2], [WIDE4, 4], [WIDE4, 4], [0, 2]),
  ];
  return [...pieces, Uint8Array.from(central), Uint8Array.from(end)];
}
