/** Writes GGUF version 3: matrices in float16 or Q8_0, the rest in float32. Equal models give equal bytes. */
import { elements } from '../../../shared/architectures/index.js';
import type { HostArray } from '../../engine/types.js';
import { numbersToHalves, numberToHalf } from '../number-formats.js';
import { formNamed, MAGIC, tensorForms, USUAL_ALIGNMENT, valueTypes } from './gguf-types.js';

/** A piece of metadata together with the type that readers expect it in. */
export type TypedValue =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s' | 'f32s'; readonly value: ArrayLike<number> };

export type WrittenForm = 'F32' | 'F16' | 'Q8_0';

export interface TensorToWrite {
  readonly name: string;
  readonly shape: readonly number[];
  readonly form: WrittenForm;
  read(): Float32Array;
}

/** Chooses a tensor's form: vectors stay float32, and rows that are no whole blocks of 32 become float16. */
export function formFor({ shape }: Pick<HostArray, 'shape'>, wanted: 'F16' | 'Q8_0'): WrittenForm {
  if (shape.length < 2) return 'F32';
  return wanted === 'Q8_0' && (shape.at(-1) ?? 0) % BLOCK === 0 ? 'Q8_0' : 'F16';
}

const BLOCK = 32;
const CHUNK = 1 << 20;

/** Yields the file in pieces: the header, then each tensor. @throws Error if a shape and its data disagree */
export function* encodeGguf(
  metadata: ReadonlyMap<string, TypedValue>,
  tensors: readonly TensorToWrite[],
): Generator<Uint8Array> {
  const places = placesOf(tensors);
  const parts = [u32(MAGIC), u32(3), u64(tensors.length), u64(metadata.size)];
  for (const [key, value] of metadata) parts.push(string(key), typedValue(value));
  for (const [i, { name, shape, form }] of tensors.entries()) {
    parts.push(string(name), u32(shape.length), ...[...shape].reverse().map(u64), u32(formNumber(form)));
    parts.push(u64(places[i] ?? 0));
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  yield Buffer.concat(parts, aligned(length)); // with zeros behind
  for (const { name, shape, form, read } of tensors) {
    const data = read();
    if (elements(shape) !== data.length) throw new Error(`${name} of shape ${shape} has ${data.length} values`);
    for (let at = 0; at < data.length; at += CHUNK) yield encoders[form](data.subarray(at, at + CHUNK));
    yield new Uint8Array(aligned(bytesIn(shape, form)) - bytesIn(shape, form));
  }
}

function placesOf(tensors: readonly TensorToWrite[]): readonly number[] {
  let offset = 0;
  return tensors.map(({ shape, form }) => {
    const own = offset;
    offset += aligned(bytesIn(shape, form));
    return own;
  });
}

function bytesIn(shape: readonly number[], form: WrittenForm): number {
  const { blockSize, blockBytes } = formNamed(form);
  return (elements(shape) / blockSize) * blockBytes;
}

/** The length of all tensors in bytes. */
export const dataBytes = (tensors: readonly Pick<TensorToWrite, 'shape' | 'form'>[]): number =>
  tensors.reduce((sum, { shape, form }) => sum + aligned(bytesIn(shape, form)), 0);

const formNumber = (form: WrittenForm): number =>
  Number(Object.entries(tensorForms).find(([, { name }]) => name === form)?.[0]);

const encoders: Readonly<Record<WrittenForm, (data: Float32Array) => Uint8Array>> = {
  F32: (data) => new Uint8Array(data.slice().buffer),
  F16: (data) => new Uint8Array(numbersToHalves(data).buffer),
  Q8_0: quantizeTo8,
};

/** As ggml's reference: the scale is the largest size over 127, and values are rounded half away from zero. */
function quantizeTo8(data: Float32Array): Uint8Array {
  const bytes = new Uint8Array((data.length / BLOCK) * 34);
  for (let i = 0, at = 0; i < data.length; i += BLOCK, at += 34) {
    let largest = 0;
    for (let j = 0; j < BLOCK; j++) largest = Math.max(largest, Math.abs(data[i + j] ?? 0));
    const scale = Math.fround(largest / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    putHalf(bytes, at, scale);
    for (let j = 0; j < BLOCK; j++) {
      const value = Math.fround((data[i + j] ?? 0) * inverse);
      bytes[at + 2 + j] = Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
    }
  }
  return bytes;
}

function putHalf(bytes: Uint8Array, at: number, value: number): void {
  const bits = numberToHalf(value);
  bytes[at] = bits & 255;
  bytes[at + 1] = bits >> 8;
}

function typedValue(typed: TypedValue): Uint8Array {
  switch (typed.type) {
    case 'string':
      return Buffer.concat([u32(valueTypes.string), string(typed.value)]);
    case 'strings':
      return Buffer.concat([...listHead(valueTypes.string, typed.value.length), ...typed.value.map(string)]);
    case 'bool':
      return Buffer.concat([u32(valueTypes.bool), Uint8Array.of(typed.value ? 1 : 0)]);
    case 'i32s':
      return Buffer.concat([...listHead(valueTypes.i32, typed.value.length), bytesOf(Int32Array.from(typed.value))]);
    case 'f32s':
      return Buffer.concat([...listHead(valueTypes.f32, typed.value.length), bytesOf(Float32Array.from(typed.value))]);
    case 'f32':
      return Buffer.concat([u32(valueTypes.f32), bytesOf(Float32Array.of(typed.value))]);
    case 'u32':
      return Buffer.concat([u32(valueTypes.u32), u32(typed.value)]);
  }
}

const listHead = (type: number, length: number) => [u32(valueTypes.array), u32(type), u64(length)];
const bytesOf = (numbers: Int32Array | Float32Array): Uint8Array => new Uint8Array(numbers.buffer);
const u32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
const u64 = (value: number): Uint8Array => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
const utf8 = new TextEncoder();

function string(text: string): Uint8Array {
  const bytes = utf8.encode(text);
  return Buffer.concat([u64(bytes.length), bytes]);
}

const aligned = (length: number): number => Math.ceil(length / USUAL_ALIGNMENT) * USUAL_ALIGNMENT;
