/** Opens a GGUF file, whose header is checked before use, and reads tensors as float32. (ggml's docs/gguf.md) */
import { elements } from '../../../shared/architectures/index.js';
import { localized } from '../../../shared/messages/message.js';
import { bytesAt, bytesSource, type ByteSource } from '../byte-source.js';
import { damaged, notUsable } from '../faults.js';
import { decodeNumbers } from '../number-formats.js';
import { quoted } from '../shorten.js';
import { refuseOther } from '../signatures.js';
import { dequantize } from './dequantize.js';
import { HeaderReader } from './gguf-header.js';
import {
  ALIGNMENT_KEY,
  type GgufMetadata,
  type GgufValue,
  MAGIC,
  readableForms,
  type TensorForm,
  tensorForms,
  USUAL_ALIGNMENT,
} from './gguf-types.js';

interface GgufTensor {
  /** Row-major: the axes in the reverse order of the file. */
  readonly shape: readonly number[];
  readonly form: TensorForm;
}

export interface OpenGguf {
  readonly metadata: GgufMetadata;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  read(name: string): Float32Array;
  /** Reads the bytes now, as few as in the file, and converts them at each call. */
  take(name: string): () => Float32Array;
}

/** The specification's limit for keys, and ggml's for names and axes, with some room. */
const MAX_KEY = 65535;
const MAX_NAME = 256;
const MAX_AXES = 4;
/** 256 layers of a dozen tensors are 3,000. */
const MAX_TENSORS = 1 << 16;
const MAX_ENTRIES = 1 << 14;
/** The most bytes of a quantised tensor that are read at once. */
const CHUNK_BYTES = 4 << 20;

interface Place extends GgufTensor {
  readonly offset: number;
  readonly byteLength: number;
}

/** Reads and checks the header. @throws UserError `file_damaged`; `checkpoint` for a version or form that is not read */
export function openGguf(source: ByteSource, what = 'GGUF'): OpenGguf {
  refuseOther(source, what, 'gguf');
  const header = new HeaderReader(source, what);
  if (header.u32() !== MAGIC) throw damaged(what, localized('damage.magic', { name: 'GGUF' }));
  checkVersion(header.u32(), what);
  const [tensorCount, entryCount] = [header.u64(), header.u64()];
  if (tensorCount > MAX_TENSORS || entryCount > MAX_ENTRIES) throw header.invalid();
  const metadata = readMetadata(header, what, entryCount);
  const tensors = readTable(header, what, tensorCount);
  const alignment = metadata.get(ALIGNMENT_KEY) ?? USUAL_ALIGNMENT;
  if (
    typeof alignment !== 'number' ||
    !(alignment >= 1 && alignment <= 1 << 20 && Number.isInteger(Math.log2(alignment)))
  )
    throw damaged(what, localized('damage.value', { name: ALIGNMENT_KEY, value: String(alignment).slice(0, 20) }));
  const dataStart = Math.ceil(header.position / alignment) * alignment;
  checkPlaces(tensors, { alignment, dataBytes: source.byteLength - dataStart, what });
  const placeOf = (name: string) => {
    const place = tensors.get(name);
    if (place === undefined) throw new Error(`${what} has no tensor ${name}`);
    return place;
  };
  return {
    metadata,
    tensors,
    read(name) {
      const place = placeOf(name);
      return readTensor(source, dataStart + place.offset, place);
    },
    take(name) {
      const place = placeOf(name);
      const bytes = bytesAt(source, dataStart + place.offset, place.byteLength);
      return () => readTensor(bytesSource(bytes), 0, place);
    },
  };
}

/** Presents the parts that llama-gguf-split made as one file: settings from the first. @throws UserError `file_damaged` if they do not belong together */
export function joinGguf(parts: readonly OpenGguf[], what: string): OpenGguf {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('a model without parts');
  if (others.length === 0) return first;
  const places = new Map(parts.flatMap((part) => [...part.tensors.keys()].map((name) => [name, part] as const)));
  const isPart = ({ metadata }: OpenGguf, at: number): boolean =>
    metadata.get('split.no') === at &&
    metadata.get('split.count') === parts.length &&
    metadata.get('split.tensors.count') === places.size;
  const other = parts.findIndex((part, at) => !isPart(part, at));
  if (other >= 0) throw damaged(what, localized('damage.part', { part: other + 1 }));
  const partOf = (name: string): OpenGguf => places.get(name) ?? first;
  return {
    metadata: first.metadata,
    tensors: new Map(parts.flatMap(({ tensors }) => [...tensors])),
    read: (name) => partOf(name).read(name),
    take: (name) => partOf(name).take(name),
  };
}

function checkVersion(version: number, what: string): void {
  if (version === 2 || version === 3) return;
  const isBigEndian = version === 0x02000000 || version === 0x03000000;
  const why = isBigEndian ? localized('gguf.bigEndian') : localized('gguf.version', { version });
  throw notUsable(what, why, localized('gguf.version.hint'));
}

function readMetadata(header: HeaderReader, what: string, count: number): GgufMetadata {
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < count; i++) {
    const key = header.string(MAX_KEY);
    if (metadata.has(key)) throw damaged(what, localized('damage.twice', { name: quoted(key) }));
    metadata.set(key, header.value());
  }
  return metadata;
}

function readTable(header: HeaderReader, what: string, count: number): Map<string, Place> {
  const tensors = new Map<string, Place>();
  for (let i = 0; i < count; i++) {
    const name = header.string(MAX_NAME);
    if (tensors.has(name)) throw damaged(what, localized('damage.twice', { name: quoted(name) }));
    const axes = header.u32();
    if (axes < 1 || axes > MAX_AXES) throw header.invalid();
    const shape = Array.from({ length: axes }, () => header.u64()).reverse();
    const number = header.u32();
    const form = (tensorForms as Readonly<Record<number, TensorForm>>)[number];
    if (form === undefined) {
      const hint = localized('gguf.form.hint', { forms: readableForms.join(', ') });
      throw notUsable(what, localized('gguf.form', { tensor: quoted(name), number }), hint);
    }
    const [size, row] = [elements(shape), shape.at(-1) ?? 0];
    if (!Number.isSafeInteger(4 * size) || size === 0 || row % form.blockSize !== 0) throw header.invalid();
    const byteLength = (size / form.blockSize) * form.blockBytes;
    tensors.set(name, { shape, form, byteLength, offset: header.u64() });
  }
  return tensors;
}

/** No tensor may reach beyond the file or share a byte with another, which bounds all reading by the file's size. */
function checkPlaces(
  tensors: ReadonlyMap<string, Place>,
  { alignment, dataBytes, what }: { readonly alignment: number; readonly dataBytes: number; readonly what: string },
): void {
  const sorted = [...tensors].sort(([, a], [, b]) => a.offset - b.offset);
  let free = 0;
  for (const [name, { offset, byteLength }] of sorted) {
    if (offset % alignment !== 0 || offset < free)
      throw damaged(what, localized('damage.tensorPlace', { name: quoted(name) }));
    free = offset + byteLength;
    if (free > dataBytes) throw damaged(what, localized('damage.cutShort'));
  }
}

function readTensor(source: ByteSource, position: number, { shape, form, byteLength }: Place): Float32Array {
  const { name, blockSize, blockBytes } = form;
  if (name === 'F32' || name === 'F16' || name === 'BF16')
    return decodeNumbers(name, bytesAt(source, position, byteLength).buffer);
  const count = elements(shape);
  const numbers = new Float32Array(count);
  const chunkBlocks = Math.floor(CHUNK_BYTES / blockBytes);
  const buffer = new Uint8Array(Math.min(chunkBlocks * blockBytes, byteLength));
  for (let block = 0; block * blockSize < count; block += chunkBlocks) {
    const blocks = Math.min(chunkBlocks, count / blockSize - block);
    const bytes = buffer.subarray(0, blocks * blockBytes);
    source.read(position + block * blockBytes, bytes);
    dequantize(name, bytes, numbers.subarray(block * blockSize, (block + blocks) * blockSize));
  }
  return numbers;
}
