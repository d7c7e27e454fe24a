/** Opens a GGUF file, whose header is checked before use, and reads tensors as float32. (ggml's docs/gguf.md) */
import { elements } from '../../../shared/architectures/index.js';
import { bytesAt, bytesSource, type ByteSource } from '../byte-source.js';
import { quoted } from '../shorten.js';
import { dequantize } from './dequantize.js';
import { notUsable } from '../foreign-weights.js';
import { damagedGguf, HeaderReader } from './gguf-header.js';
import {
  ALIGNMENT_KEY,
  type GgufMetadata,
  type GgufValue,
  MAGIC,
  otherForms,
  readableForms,
  type TensorForm,
  tensorForms,
  USUAL_ALIGNMENT,
} from './gguf-types.js';

export interface GgufTensor {
  /** Row-major, the axis that changes fastest last: the other way round than in the file. */
  readonly shape: readonly number[];
  readonly form: TensorForm;
}

export interface OpenGguf {
  readonly metadata: GgufMetadata;
  /** In the order of the file's table. */
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  /** Reads one tensor as float32, a few megabytes of the file at a time. @throws UserError `file_damaged` */
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
/** What is read of a tensor at once, at most. */
const CHUNK_BYTES = 4 << 20;

interface Place extends GgufTensor {
  readonly offset: number;
  readonly byteLength: number;
}

/** Reads and checks the header. @throws UserError `file_damaged`; `checkpoint` for a version or form that is not read */
export function openGguf(source: ByteSource, what = 'the file'): OpenGguf {
  const header = new HeaderReader(source, what);
  const tensorCount = readBeginning(header, source, what);
  const metadata = readMetadata(header, what, tensorCount.entries);
  const tensors = readTable(header, what, tensorCount.tensors);
  const alignment = alignmentOf(metadata, what);
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

function readBeginning(
  header: HeaderReader,
  source: ByteSource,
  what: string,
): { readonly tensors: number; readonly entries: number } {
  if (source.byteLength < 24) throw damagedGguf(what, 'it is too short');
  if (header.u32() !== MAGIC) throw damagedGguf(what, 'it does not begin with "GGUF"');
  const version = header.u32();
  if (version !== 2 && version !== 3) {
    const isBigEndian = version === 0x02000000 || version === 0x03000000;
    throw notUsable(
      what,
      isBigEndian ? 'it is written for big-endian machines' : `it has version ${version} of the format`,
      'Use a file of version 2 or 3 for ordinary (little-endian) machines.',
    );
  }
  const [tensors, entries] = [header.u64(), header.u64()];
  if (tensors > MAX_TENSORS) throw damagedGguf(what, `it cannot hold ${tensors} tensors`);
  if (entries > MAX_ENTRIES) throw damagedGguf(what, `it cannot hold ${entries} pieces of metadata`);
  return { tensors, entries };
}

function readMetadata(header: HeaderReader, what: string, count: number): GgufMetadata {
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < count; i++) {
    const key = header.string('a key of its metadata', MAX_KEY);
    if (metadata.has(key)) throw damagedGguf(what, `it says ${quoted(key)} twice`);
    metadata.set(key, header.value(key));
  }
  return metadata;
}

function readTable(header: HeaderReader, what: string, count: number): Map<string, Place> {
  const tensors = new Map<string, Place>();
  for (let i = 0; i < count; i++) {
    const name = header.string("a tensor's name", MAX_NAME);
    if (tensors.has(name)) throw damagedGguf(what, `it has the tensor ${quoted(name)} twice`);
    const axes = header.u32();
    if (axes < 1 || axes > MAX_AXES) throw damagedGguf(what, `tensor ${quoted(name)} cannot have ${axes} axes`);
    const shape = Array.from({ length: axes }, () => header.u64()).reverse();
    const form = formOf(header.u32(), name, what);
    const byteLength = bytesOf(shape, form, name, what);
    tensors.set(name, { shape, form, byteLength, offset: header.u64() });
  }
  return tensors;
}

function formOf(number: number, name: string, what: string): TensorForm {
  const form = (tensorForms as Readonly<Record<number, TensorForm>>)[number];
  if (form !== undefined) return form;
  const other = otherForms.get(number);
  if (other === undefined) throw damagedGguf(what, `tensor ${quoted(name)} has the unknown form ${number}`);
  throw notUsable(
    what,
    `tensor ${quoted(name)} is quantised as ${other}`,
    `Use a file whose tensors are of these forms: ${readableForms.join(', ')}.`,
  );
}

function bytesOf(
  shape: readonly number[],
  { name: form, blockSize, blockBytes }: TensorForm,
  name: string,
  what: string,
) {
  const count = elements(shape);
  const row = shape.at(-1) ?? 0;
  if (!Number.isSafeInteger(4 * count) || shape.includes(0)) {
    throw damagedGguf(what, `tensor ${quoted(name)} cannot have the shape [${shape.join(', ')}]`);
  }
  if (row % blockSize !== 0) {
    throw damagedGguf(what, `rows of ${row} in tensor ${quoted(name)} are no whole blocks of ${form}`);
  }
  return (count / blockSize) * blockBytes;
}

function alignmentOf(metadata: GgufMetadata, what: string): number {
  const alignment = metadata.get(ALIGNMENT_KEY) ?? USUAL_ALIGNMENT;
  if (
    typeof alignment === 'number' &&
    Number.isInteger(Math.log2(alignment)) &&
    alignment >= 1 &&
    alignment <= 1 << 20
  ) {
    return alignment;
  }
  throw damagedGguf(
    what,
    `its ${ALIGNMENT_KEY} cannot be ${typeof alignment === 'number' ? alignment : typeof alignment}`,
  );
}

/** No tensor may reach beyond the file or share a byte with another: what is read is then never more than the file. */
function checkPlaces(
  tensors: ReadonlyMap<string, Place>,
  { alignment, dataBytes, what }: { readonly alignment: number; readonly dataBytes: number; readonly what: string },
): void {
  const sorted = [...tensors].sort(([, a], [, b]) => a.offset - b.offset);
  let free = 0;
  for (const [name, { offset, byteLength }] of sorted) {
    if (offset % alignment !== 0)
      throw damagedGguf(what, `tensor ${quoted(name)} does not begin on ${alignment} bytes`);
    if (offset < free) throw damagedGguf(what, `tensor ${quoted(name)} overlaps another`);
    free = offset + byteLength;
    if (free > dataBytes) {
      throw damagedGguf(what, `it was cut short: tensor ${quoted(name)} ends ${free - dataBytes} bytes behind its end`);
    }
  }
}

function readTensor(source: ByteSource, position: number, { shape, form, byteLength }: Place): Float32Array {
  const count = elements(shape);
  const numbers = new Float32Array(count);
  if (form.name === 'F32') {
    source.read(position, new Uint8Array(numbers.buffer));
    return numbers;
  }
  const { blockSize, blockBytes } = form;
  const chunkBlocks = Math.floor(CHUNK_BYTES / blockBytes);
  const buffer = new Uint8Array(Math.min(chunkBlocks * blockBytes, byteLength));
  for (let block = 0; block * blockSize < count; block += chunkBlocks) {
    const blocks = Math.min(chunkBlocks, count / blockSize - block);
    const bytes = buffer.subarray(0, blocks * blockBytes);
    source.read(position + block * blockBytes, bytes);
    dequantize(form, bytes, numbers.subarray(block * blockSize, (block + blocks) * blockSize));
  }
  return numbers;
}
