// GGUF: numbers to the bit as the Python package gguf dequantises and quantises them (make_fixtures.py), what is
// written is read back, and a forged header is refused (random damage: ../hostile-files.test.ts).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeGguf, formFor, type TensorToWrite, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { openGguf } from '../../../main/formats/gguf/gguf.js';
import { sourceOf } from './places.js';
import { faultOf } from '../../storage/fault-of.js';

const fixture = (name: string) => new URL(`fixtures/${name}`, import.meta.url);
interface Facts {
  readonly tensors: Readonly<Record<string, { readonly shape: readonly number[]; readonly bits: string }>>;
  readonly written: { readonly shape: readonly number[]; readonly values: string; F16: string; Q8_0: string };
}
const facts = JSON.parse(readFileSync(fixture('gguf.json'), 'utf8')) as Facts;
const forms = readFileSync(fixture('forms.gguf'));
const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const floats = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
const hex = (data: Float32Array): string => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');

describe('a file that the Python package gguf wrote', () => {
  const file = openGguf(sourceOf(forms), 'forms.gguf');

  it.each(Object.keys(facts.tensors))('%s comes out with the same bits', (name) => {
    const { shape, bits } = facts.tensors[name] ?? { shape: [], bits: '' };
    expect(file.tensors.get(name)).toMatchObject({ shape, form: { name } });
    expect(hex(file.read(name))).toBe(fromBase64(bits).toString('hex'));
  });

  it('has its metadata', () => {
    const plain = [...file.metadata].map(([key, value]) => [
      key,
      ArrayBuffer.isView(value) ? Array.from(value) : value,
    ]);
    expect(Object.fromEntries(plain)).toEqual({
      'general.architecture': 'llama',
      'general.name': 'every form',
      'test.strings': ['', 'é', '\u{1f600}', 'a b'],
      'test.floats': [1.5, -2.25],
      'test.integers': [-1, 2 ** 31 - 1],
      'test.u64': 2 ** 40,
      'test.i8': -5,
      'test.f64': 0.1,
      'test.bool': true,
    });
  });

  it('is read in pieces, whatever its size', () => {
    const rows = 70_000; // 4.6 MB of blocks
    const data = Float32Array.from({ length: 64 * rows }, (_, i) => ((i * 37) % 255) - 127);
    const bytes = Buffer.concat([...encodeGguf(new Map(), [tensor('a', [rows, 64], 'Q8_0', data)])]);
    let largest = 0;
    const source = sourceOf(bytes, (_, count) => (largest = Math.max(largest, count)));
    const read = openGguf(source).read('a');
    expect(largest).toBeLessThanOrEqual(4 << 20);
    // Every block of 32 holds values close to ±127, so that its scale is close to 1.
    expect(read.every((value, i) => Math.abs(value - (data[i] ?? NaN)) < 0.6)).toBe(true);
  });
});

const tensor = (name: string, shape: readonly number[], form: TensorToWrite['form'], data: Float32Array) => ({
  name,
  shape,
  form,
  read: () => data,
});

describe('a file that is written', () => {
  const { shape, values, ...expected } = facts.written;
  const data = floats(fromBase64(values));

  it.each(['F16', 'Q8_0'] as const)('holds %s as the Python package makes it', (form) => {
    const [, numbers] = [...encodeGguf(new Map(), [tensor('a', shape, form, data)])];
    const bytes = fromBase64(expected[form]);
    expect(
      Buffer.from(numbers ?? [])
        .subarray(0, bytes.length)
        .toString('hex'),
    ).toBe(bytes.toString('hex'));
  });

  it('is read back', () => {
    const metadata = new Map<string, TypedValue>([
      ['general.architecture', { type: 'string', value: 'qwen2' }],
      ['n', { type: 'u32', value: 2 ** 32 - 1 }],
      ['x', { type: 'f32', value: 0.5 }],
      ['yes', { type: 'bool', value: true }],
      ['texts', { type: 'strings', value: ['', 'Ġ', '\u{1f600}'] }],
      ['types', { type: 'i32s', value: [1, -1] }],
      ['scores', { type: 'f32s', value: [0.25] }],
    ]);
    const odd = Float32Array.of(1, -0, 3.5);
    const bytes = Buffer.concat([
      ...encodeGguf(metadata, [tensor('norm', [3], 'F32', odd), tensor('a', [3, 1], 'F16', odd)]),
    ]);
    const file = openGguf(sourceOf(bytes));
    const plain = [...file.metadata].map(([key, value]) => [
      key,
      ArrayBuffer.isView(value) ? Array.from(value) : value,
    ]);
    expect(plain).toEqual([...metadata].map(([key, { value }]) => [key, value]));
    expect([...file.tensors].map(([name, { shape: read, form }]) => [name, read, form.name])).toEqual([
      ['norm', [3], 'F32'],
      ['a', [3, 1], 'F16'],
    ]);
    expect([hex(file.read('norm')), hex(file.read('a'))]).toEqual([hex(odd), hex(odd)]);
  });

  it('keeps vectors exact, and rows that are no whole blocks in float16', () => {
    expect(formFor({ shape: [64] }, 'Q8_0')).toBe('F32');
    expect(formFor({ shape: [2, 64] }, 'Q8_0')).toBe('Q8_0');
    expect(formFor({ shape: [2, 65] }, 'Q8_0')).toBe('F16');
    expect(formFor({ shape: [2, 64] }, 'F16')).toBe('F16');
  });
});

describe('a file that cannot be read', () => {
  const fault = (change: (bytes: Buffer) => unknown) => {
    const bytes = Buffer.from(forms);
    change(bytes);
    return faultOf(() => openGguf(sourceOf(bytes), 'model.gguf'));
  };

  it('is refused with the reason and what to do', () => {
    expect(fault((bytes) => bytes.write('GGML'))).toMatchObject({
      code: 'file_damaged',
      message: 'model.gguf cannot be read: it does not begin with “GGUF”',
      hint: expect.stringMatching(/another copy/),
    });
    expect(fault((bytes) => bytes.writeUInt32LE(1, 4))).toMatchObject({ message: expect.stringMatching(/version 1 /) });
    expect(fault((bytes) => bytes.writeUInt32BE(3, 4))).toMatchObject({ message: expect.stringMatching(/big-endian/) });
    expect(faultOf(() => openGguf(sourceOf(forms.subarray(0, forms.length - 64)), 'model.gguf'))).toMatchObject({
      message: expect.stringMatching(/it is cut short/),
    });
  });

  it('names a form that is not read, and those that are', () => {
    const place = forms.indexOf('Q4_0', forms.indexOf('Q8_0')) + 4 + 4 + 16;
    expect(forms.readUInt32LE(place)).toBe(2);
    expect(fault((bytes) => bytes.writeUInt32LE(10, place))).toMatchObject({
      code: 'checkpoint',
      message: 'model.gguf cannot be used: tensor "Q4_0" is quantised in a form (number 10) that Verisim does not read',
      hint: expect.stringMatching(/Q8_0, Q4_K, Q5_K, Q6_K, BF16|Q6_K/),
    });
  });
});
