// safetensors: every bit comes back, and forged headers are refused (random damage: hostile-files.test.ts).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../shared/errors.js';
import { decodeSafetensors, encodeSafetensors } from '../../main/formats/safetensors.js';
import type { HostArray, NamedArrays } from '../../main/engine/types.js';

function join(pieces: Iterable<Uint8Array>): Uint8Array {
  return new Uint8Array(Buffer.concat([...pieces]));
}

/** A file with any header, as an adversary would write it. */
function forge(header: unknown, data: Uint8Array | number = 0): Uint8Array {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.byteLength));
  return join([length, text, typeof data === 'number' ? new Uint8Array(data) : data]);
}

const bits = (array: HostArray | undefined) =>
  array && { shape: array.shape, bits: [...new Uint32Array(Float32Array.from(array.data).buffer)] };
const allBits = (arrays: NamedArrays) =>
  Object.fromEntries(Object.keys(arrays).map((name) => [name, bits(arrays[name])]));

const hostArray = fc.array(fc.nat(4), { maxLength: 3 }).chain((shape) => {
  const size = shape.reduce((a, b) => a * b, 1);
  return fc
    .array(fc.float({ noDefaultInfinity: false }), { minLength: size, maxLength: size })
    .map((values): HostArray => ({ shape, data: Float32Array.from(values) }));
});
const tensorName = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('constructor', 'toString', '0', '10', '9'))
  .filter((name) => name !== '__proto__' && name !== '__metadata__');
const arrays = fc.dictionary(tensorName, hostArray, { maxKeys: 5, noNullPrototype: true });
const metadata = fc.dictionary(
  fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__'),
  fc.string(),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
);

const example: NamedArrays = {
  'h.0.weight': { shape: [2, 3], data: Float32Array.from([1, -0, NaN, Infinity, 1e-45, 0.1]) },
  bias: { shape: [], data: Float32Array.from([7]) },
  empty: { shape: [0, 5], data: new Float32Array(0) },
};
const exampleBytes = join(encodeSafetensors(example, { format: 'pt' }));

describe('encodeSafetensors', () => {
  it('lays a file out as the format demands', () => {
    const headerLength = Number(Buffer.from(exampleBytes).readBigUInt64LE(0));
    const header = Buffer.from(exampleBytes).toString('utf8', 8, 8 + headerLength);
    expect(headerLength % 8).toBe(0);
    expect(header.trimEnd()).toBe(
      '{"__metadata__":{"format":"pt"},' +
        '"bias":{"data_offsets":[0,4],"dtype":"F32","shape":[]},' +
        '"empty":{"data_offsets":[4,4],"dtype":"F32","shape":[0,5]},' +
        '"h.0.weight":{"data_offsets":[4,28],"dtype":"F32","shape":[2,3]}}',
    );
    expect(exampleBytes.byteLength).toBe(8 + headerLength + 28);
  });

  it('gives the same bytes whatever order the arrays come in', () => {
    const reversed = Object.fromEntries(Object.entries(example).reverse());
    expect(join(encodeSafetensors(reversed, { format: 'pt' }))).toEqual(exampleBytes);
  });

  it('holds the numbers as views, not copies, and of views only their part', () => {
    const memory = Float32Array.from([9, 1, 2, 9]);
    const pieces = [...encodeSafetensors({ x: { shape: [2], data: memory.subarray(1, 3) } })];
    expect(pieces[1]?.buffer).toBe(memory.buffer);
    expect(decodeSafetensors(join(pieces)).arrays['x']?.data).toEqual(Float32Array.from([1, 2]));
  });

  it('reads one array after the other, in order of names, as it is written', () => {
    const read: string[] = [];
    const lazily = (name: string) => ({
      shape: [1],
      get data() {
        read.push(name);
        return Float32Array.of(1);
      },
    });
    const pieces = encodeSafetensors({ b: lazily('b'), a: lazily('a') })[Symbol.iterator]();
    pieces.next();
    expect(read).toEqual([]);
    pieces.next();
    expect(read).toEqual(['a']);
    pieces.next();
    expect(read).toEqual(['a', 'b']);
  });

  it('refuses a shape that its data does not have, and names that are not names', () => {
    expect(() => join(encodeSafetensors({ x: { shape: [3], data: new Float32Array(2) } }))).toThrow(/tensor x/);
    const data = new Float32Array(1);
    for (const name of ['__proto__', '__metadata__']) {
      expect(() => encodeSafetensors(Object.fromEntries([[name, { shape: [1], data }]]))).toThrow(/cannot save/);
    }
  });
});

describe('decodeSafetensors', () => {
  it('reads back every bit of what was written, for any names, shapes and numbers', () => {
    fc.assert(
      fc.property(arrays, metadata, (original, notes) => {
        const decoded = decodeSafetensors(join(encodeSafetensors(original, notes)));
        expect(allBits(decoded.arrays)).toEqual(allBits(original));
        expect(decoded.metadata).toEqual(notes);
      }),
    );
  });

  it('gives each tensor memory of its own, at any offset of the bytes', () => {
    const shifted = new Uint8Array(exampleBytes.byteLength + 1);
    shifted.set(exampleBytes, 1);
    const decoded = decodeSafetensors(shifted.subarray(1)).arrays;
    shifted.fill(0);
    expect(allBits(decoded)).toEqual(allBits(example));
  });

  it('refuses every truncation, and every file with bytes to spare', () => {
    for (let length = 0; length < exampleBytes.byteLength; length += 1) {
      expect(() => decodeSafetensors(exampleBytes.subarray(0, length))).toThrow(UserError);
    }
    expect(() => decodeSafetensors(join([exampleBytes, new Uint8Array(1)]))).toThrow(/29 bytes of numbers/);
  });

  const f32 = (begin: number, end: number, shape: readonly unknown[] = [(end - begin) / 4]) => ({
    dtype: 'F32',
    shape,
    data_offsets: [begin, end],
  });
  const typed = (dtype: string, data: ArrayBufferView, size: number) =>
    forge(
      { x: { dtype, shape: [size], data_offsets: [0, data.byteLength] } },
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
  it.each<[string, Uint8Array, RegExp]>([
    ['a header longer than the file', Uint8Array.from([9, 0, 0, 0, 0, 0, 0, 0, 123, 125]), /header/],
    ['a header of 2^63 bytes', Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 128, 123, 125]), /header/],
    ['a header that is no JSON', forge('{'), /not a JSON object/],
    ['a header that is no object', forge('[]'), /not a JSON object/],
    ['a header that is nothing', forge('null'), /not a JSON object/],
    [
      'a header that is no UTF-8',
      join([Uint8Array.from([3, 0, 0, 0, 0, 0, 0, 0, 0x22, 0xff, 0x22])]),
      /not a JSON object/,
    ],
    ['overlapping tensors', forge({ a: f32(0, 8), b: f32(4, 12) }, 12), /overlaps/],
    ['a gap', forge({ a: f32(0, 4), b: f32(8, 12) }, 12), /gap/],
    ['the same place twice', forge({ a: f32(0, 4), b: f32(0, 4) }, 4), /overlaps/],
    ['an end before its begin', forge({ a: f32(4, 0, [1]) }, 4), /overlaps/],
    ['an end past the file', forge({ a: f32(0, 8) }, 4), /instead of 8/],
    ['numbers that no tensor has', forge({}, 4), /instead of 0/],
    ['a shape that does not fit', forge({ a: f32(0, 8, [3]) }, 8), /does not fit shape \[3\]/],
    ['a shape beyond counting', forge({ a: f32(0, 8, [2 ** 52, 2 ** 52, 2 ** 52]) }, 8), /does not fit/],
    ['a negative size', forge({ a: f32(0, 4, [-1]) }, 4), /tensor a/],
    ['half a size', forge({ a: f32(0, 4, [0.5]) }, 4), /tensor a/],
    ['an unknown type', forge({ a: { ...f32(0, 4), dtype: 'F31' } }, 4), /tensor a/],
    ['an unknown field', forge({ a: { ...f32(0, 4), more: 1 } }, 4), /tensor a/],
    ['a missing field', forge({ a: { dtype: 'F32', shape: [1] } }, 4), /tensor a/],
    ['a tensor that is null', forge({ a: null }), /tensor a/],
    ['a name twice', forge('{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"\\u0061":{}}'), /"a" occurs twice/],
    [
      'a field twice',
      forge('{"a":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}}'),
      /"dtype" occurs twice/,
    ],
    ['__proto__ as a name', forge(`{"__proto__":${JSON.stringify(f32(0, 0))}}`), /cannot be called/],
    ['notes that are not text', forge({ __metadata__: { a: 1 } }), /__metadata__/],
    ['notes that are a list', forge({ __metadata__: [] }), /__metadata__/],
    ['more axes than any tensor', forge({ w: f32(0, 4, Array(65).fill(1)) }, 4), /tensor w has more than 64 axes/],
    ['whole numbers', typed('I32', Int32Array.of(1), 1), /float32 cannot/],
    ['large whole numbers', typed('I64', BigInt64Array.of(1n), 1), /float32 cannot/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => decodeSafetensors(bytes, 'weights')).toThrow(message);
    expect(() => decodeSafetensors(bytes, 'weights')).toThrow(
      expect.objectContaining({ code: 'file_damaged', message: expect.stringMatching(/^weights cannot be read: /) }),
    );
  });

  it('takes tensors in any order of the header, and colons, braces and quotes in names', () => {
    const odd = { '{"a":': f32(4, 8), 'b\\"': f32(0, 4), __metadata__: { '}': '"x":' } };
    const decoded = decodeSafetensors(forge(odd, Uint8Array.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0x40])));
    expect(decoded.arrays['b\\"']?.data).toEqual(Float32Array.from([1]));
    expect(decoded.arrays['{"a":']?.data).toEqual(Float32Array.from([2]));
    expect(decoded.metadata).toEqual({ '}': '"x":' });
  });

  it('widens half precision exactly', () => {
    const half = Uint16Array.from([0x3c00, 0xc000, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x8000]);
    const values = [1, -2, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 65504, Infinity, -Infinity, NaN, -0];
    expect([...(decodeSafetensors(typed('F16', half, 10)).arrays['x']?.data ?? [])]).toEqual(values);
    const brain = Uint16Array.from([0x3f80, 0xc000, 0x7f80, 0x8000, 0x3dcc]);
    const expected = [1, -2, Infinity, -0, Math.fround(0.099609375)];
    expect([...(decodeSafetensors(typed('BF16', brain, 5)).arrays['x']?.data ?? [])]).toEqual(expected);
  });
});
