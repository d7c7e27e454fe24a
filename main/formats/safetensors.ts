/** Reads and writes safetensors; headers are checked before use, and equal arrays give equal bytes. (safetensors README, "Format") */
import { localized } from '../../shared/messages/message.js';
import { z } from 'zod';
import { elements } from '../../shared/architectures/index.js';
import { duplicateKey, parseBoundedJson } from './bounded-json.js';
import { bytesAt, bytesSource, type ByteSource } from './byte-source.js';
import { damaged } from './faults.js';
import { bytesPerNumber, decodeNumbers, isWeightFormat, type NumberFormat, numberFormats } from './number-formats.js';
import { shorten } from './shorten.js';
import { refuseOther } from './signatures.js';
import { stableJson } from './stable-json.js';
import type { HostArray, NamedArrays } from '../engine/types.js';

export type Metadata = Readonly<Record<string, string>>;

/** Several times what a model of 256 layers with its optimizer needs: a forged header takes little time and memory. */
const maxHeaderBytes = 3 << 19;
const MAX_AXES = 64;
/** The header holds tensors, and these hold lists. */
const MAX_HEADER_DEPTH = 3;
const metadataKey = '__metadata__';

/** Yields the header, then views of the arrays in order of names, each read when needed. @throws Error if shape and data disagree */
export function encodeSafetensors(arrays: NamedArrays, metadata: Metadata = {}): Iterable<Uint8Array> {
  const header: Record<string, { dtype: string; shape: readonly number[]; data_offsets: number[] } | Metadata> = {};
  if (Object.keys(metadata).length > 0) header[metadataKey] = metadata;
  let offset = 0;
  const byName = Object.entries(arrays).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, { shape }] of byName) {
    if (!isTensorName(name)) throw new Error(`cannot save tensor ${name}`);
    const end = offset + Float32Array.BYTES_PER_ELEMENT * elements(shape);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = new TextEncoder().encode(stableJson(header));
  const padded = Math.ceil(text.length / 8) * 8; // the data begins on a multiple of 8 bytes
  const front = new Uint8Array(8 + padded).fill(0x20);
  new DataView(front.buffer).setBigUint64(0, BigInt(padded), true);
  front.set(text, 8);
  return {
    *[Symbol.iterator]() {
      yield front;
      for (const [name, array] of byName) yield bytesOf(name, array);
    },
  };
}

function bytesOf(name: string, { shape, data }: HostArray): Uint8Array {
  if (elements(shape) !== data.length)
    throw new Error(`cannot save tensor ${name} with shape ${shape} and ${data.length} values`);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Reads every tensor as float32, at each use if `onDemand`. @throws UserError `file_damaged` */
export function decodeSafetensors(
  file: Uint8Array | ByteSource,
  what = 'safetensors',
  onDemand = false,
): { readonly arrays: NamedArrays; readonly metadata: Metadata } {
  const { tensors, metadata, read } = openSafetensors(file, what);
  const arrays = [...tensors].map(([name, { shape }]): [string, HostArray] => [
    name,
    onDemand ? arrayOnDemand(shape, () => read(name)) : { shape, data: read(name) },
  ]);
  return { arrays: Object.fromEntries(arrays), metadata };
}

export const arrayOnDemand = (shape: readonly number[], read: () => Float32Array): HostArray => ({
  shape,
  get data() {
    return read();
  },
});

export interface OpenSafetensors {
  readonly tensors: ReadonlyMap<string, { readonly shape: readonly number[]; readonly dtype: NumberFormat }>;
  readonly metadata: Metadata;
  /** One tensor as float32, in memory of its own. @throws UserError `file_damaged` */
  read(name: string): Float32Array;
  /** Reads the bytes now, as few as in the file, and converts them at each call. */
  take(name: string): () => Float32Array;
}

/** Reads and checks the header; no numbers yet. @throws UserError `file_damaged` */
export function openSafetensors(file: Uint8Array | ByteSource, what = 'safetensors'): OpenSafetensors {
  const source = file instanceof Uint8Array ? bytesSource(file) : file;
  refuseOther(source, what, 'safetensors');
  const { entries, metadata, dataStart } = readHeader(source, what);
  const tensors = new Map(entries);
  const take = (name: string) => {
    const entry = tensors.get(name);
    if (entry === undefined) throw new Error(`${what} has no tensor ${name}`);
    const {
      dtype,
      data_offsets: [begin, end],
    } = entry;
    if (!isWeightFormat(dtype))
      throw damaged(what, localized('damage.tensorType', { name: shorten(name), type: dtype }));
    const { buffer } = bytesAt(source, dataStart + begin, end - begin);
    return () => decodeNumbers(dtype, buffer);
  };
  return { tensors, metadata, take, read: (name) => take(name)() };
}

const entrySchema = z.strictObject({
  dtype: z.enum(numberFormats),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
type Entry = z.infer<typeof entrySchema>;

function readHeader(source: ByteSource, what: string) {
  if (source.byteLength < 8) throw damaged(what, localized('damage.cutShort'));
  const headerLength = Number(bytesAt(source, 0, 8).readBigUInt64LE());
  if (headerLength > Math.min(maxHeaderBytes, source.byteLength - 8)) {
    throw damaged(what, localized('damage.headerLength', { length: headerLength }));
  }
  const header = parseHeader(bytesAt(source, 8, headerLength), what);

  const entries: [string, Entry][] = [];
  let metadata: Metadata = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === metadataKey) {
      if (!isMetadata(value)) throw damaged(what, localized('damage.metadata', { name: metadataKey }));
      metadata = value;
    } else {
      if (!isTensorName(name)) throw damaged(what, localized('damage.tensorName', { name: JSON.stringify(name) }));
      entries.push([name, checkedEntry(name, value, what)]);
    }
  }
  const dataStart = 8 + headerLength;
  checkPlaces(entries, source.byteLength - dataStart, what);
  return { entries, metadata, dataStart };
}

function parseHeader(bytes: Uint8Array, what: string): Record<string, unknown> {
  let header: unknown;
  let twice: string | null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    header = parseBoundedJson(text, MAX_HEADER_DEPTH);
    twice = duplicateKey(text);
  } catch {
    throw damaged(what, localized('damage.jsonHeader'));
  }
  if (twice !== null) throw damaged(what, localized('damage.twice', { name: JSON.stringify(shorten(twice)) }));
  if (!isObject(header)) throw damaged(what, localized('damage.jsonHeader'));
  return header;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Like `__proto__` of a tensor, it would not be a key. */
const isMetadata = (value: unknown): value is Metadata =>
  isObject(value) &&
  !Object.hasOwn(value, '__proto__') &&
  Object.values(value).every((note) => typeof note === 'string');

/** Sorts `entries` by place; they must fill the data without gap or overlap, each with the bytes its shape needs. */
function checkPlaces(entries: [string, Entry][], dataBytes: number, what: string): void {
  entries.sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1]);
  let expected = 0;
  for (const [name, { dtype, shape, data_offsets }] of entries) {
    const [begin, end] = data_offsets;
    if (begin !== expected) throw damaged(what, localized('damage.tensorPlace', { name: shorten(name) }));
    if (end - begin !== elements(shape) * bytesPerNumber[dtype]) {
      const found = { bytes: end - begin, shape: shorten(shape.join(', ')) };
      throw damaged(what, localized('damage.tensorShape', { name: shorten(name), ...found }));
    }
    expected = end;
  }
  if (expected !== dataBytes) throw damaged(what, localized('damage.dataLength', { found: dataBytes, expected }));
}

/** `__proto__` as a key would not be a key in JavaScript. */
const isTensorName = (name: string) => name !== metadataKey && name !== '__proto__';

function checkedEntry(name: string, value: unknown, what: string): Entry {
  const shape = isObject(value) ? value['shape'] : undefined;
  // zod would look at every axis, and note what is wrong with each.
  if (Array.isArray(shape) && shape.length > MAX_AXES) {
    throw damaged(what, localized('damage.tensorAxes', { name: shorten(name), most: MAX_AXES }));
  }
  const result = entrySchema.safeParse(value);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.join('.') ?? '';
  throw damaged(what, localized('damage.tensorEntry', { name: shorten(name), field }));
}
