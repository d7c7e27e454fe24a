/** Models as llama.cpp keeps them: a header that says where everything is, then quantised numbers without a checksum. */
import { createHash } from 'node:crypto';
import { encodeGguf, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { openGguf } from '../../../main/formats/gguf/gguf.js';
import { sourceOf, readRepositoryFile } from '../places.js';
import { type Subject, unknown } from '../subject.js';

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number | bigint): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string | Buffer): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const [STRING, LIST, U32] = [8, 9, 4];

/** A file with any header. */
function file(tensors: number | bigint, entries: number | bigint, ...rest: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from('GGUF'), u32(3), u64(tensors), u64(entries), ...rest]);
}
const info = (name: string, axes: readonly (number | bigint)[], form: number, offset: number | bigint): Buffer =>
  Buffer.concat([text(name), u32(axes.length), ...axes.map(u64), u32(form), u64(offset)]);
const many = (count: number, item: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => item(i)));

const metadata = new Map<string, TypedValue>([
  ['general.architecture', { type: 'string', value: 'llama' }],
  ['tokenizer.ggml.tokens', { type: 'strings', value: ['<s>', 'é', ''] }],
  ['tokenizer.ggml.scores', { type: 'f32s', value: [0, -1.5] }],
  ['llama.block_count', { type: 'u32', value: 1 }],
]);
const numbers = Float32Array.from({ length: 64 }, (_, i) => i / 7 - 3);
const small = Buffer.concat([
  ...encodeGguf(metadata, [
    { name: 'token_embd.weight', shape: [2, 32], form: 'Q8_0', read: () => numbers },
    { name: 'output_norm.weight', shape: [3], form: 'F32', read: () => numbers.slice(0, 3) },
    { name: 'blk.0.attn_q.weight', shape: [4, 16], form: 'F16', read: () => numbers },
  ]),
]);
const forms = readRepositoryFile('tests/formats/gguf/fixtures/forms.gguf');
const MB = 1 << 20;

export const gguf: Subject = {
  name: 'gguf',
  // As many texts as it reads take most of a second, of a slow processor more.
  limits: { cpuMs: 3000, memory: 64 << 20 },
  samples: [
    { name: 'small.gguf', bytes: small },
    { name: 'forms.gguf', bytes: forms, onlyRandom: true },
  ],
  bombs: {
    '2^64 tensors': () => file(2n ** 64n - 1n, 0),
    '2^64 pieces of metadata': () => file(0, 2n ** 64n - 1n),
    'a key of 2^63 bytes': () => file(0, 1, u64(2n ** 63n), Buffer.alloc(99)),
    'a text longer than the file': () => file(0, 1, text('k'), u32(STRING), u64(MB)),
    'a text of 30 MB': () => file(0, 1, text('k'), u32(STRING), u64(30 * MB), Buffer.alloc(30 * MB, 97)),
    'a list of 2^60 numbers': () => file(0, 1, text('k'), u32(LIST), u32(U32), u64(2n ** 60n)),
    'a list of 2^60 texts': () => file(0, 1, text('k'), u32(LIST), u32(STRING), u64(2n ** 60n), Buffer.alloc(MB)),
    'two million empty texts': () => file(0, 1, text('k'), u32(LIST), u32(STRING), u64(2 * MB), Buffer.alloc(16 * MB)),
    'lists in lists': () =>
      file(
        0,
        1,
        text('k'),
        u32(LIST),
        many(100_000, () => Buffer.concat([u32(LIST), u64(1)])),
      ),
    'very many lists of texts': () =>
      file(
        0,
        12_000,
        many(12_000, (i) => Buffer.concat([text(`${i}`), u32(LIST), u32(STRING), u64(100), Buffer.alloc(800)])),
      ),
    'a header of 60 MB': () =>
      file(
        0,
        60,
        many(60, (i) => Buffer.concat([text(`${i}`), u32(LIST), u32(0), u64(MB), Buffer.alloc(MB)])),
      ),
    'the same key again and again': () =>
      file(
        0,
        9000,
        many(9000, () => Buffer.concat([text('k'), u32(U32), u32(1)])),
      ),
    'an alignment of nothing': () =>
      file(1, 1, text('general.alignment'), u32(U32), u32(0), info('a', [1], 0, 0), Buffer.alloc(64)),
    'an alignment of 2^31': () => file(0, 1, text('general.alignment'), u32(U32), u32(2 ** 31)),
    'a tensor of 2^64 numbers': () => file(1, 0, info('a', [2n ** 32n, 2n ** 32n], 0, 0), Buffer.alloc(64)),
    'a tensor whose size wraps around': () => file(1, 0, info('a', [2n ** 62n, 4], 0, 0), Buffer.alloc(64)),
    'a tensor of no numbers': () => file(1, 0, info('a', [0, 2n ** 60n], 0, 0), Buffer.alloc(64)),
    'a tensor beyond the file': () => file(1, 0, info('a', [MB], 0, 0), Buffer.alloc(64)),
    'a tensor that begins beyond the file': () => file(1, 0, info('a', [1], 0, 2n ** 63n - 32n), Buffer.alloc(64)),
    'all in one place': () =>
      file(
        20_000,
        0,
        many(20_000, (i) => info(`${i}`, [8], 0, 0)),
        Buffer.alloc(MB),
      ),
    'very many axes': () => file(1, 0, text('a'), u32(2 ** 32 - 1), Buffer.alloc(MB)),
    'rows that are no whole blocks': () => file(1, 0, info('a', [33, 32], 8, 0), Buffer.alloc(4096)),
    'a form that is not read': () => file(1, 0, info('a', [256], 10, 0), Buffer.alloc(4096)),
    'a form that does not exist': () => file(1, 0, info('a', [256], 4_000_000_000, 0), Buffer.alloc(4096)),
    'a name that is no text': () => file(1, 0, u64(2), Buffer.from([0xff, 0xfe]), Buffer.alloc(64)),
    'a name of 100 KB': () => file(1, 0, info('n'.repeat(100_000), [1], 0, 0), Buffer.alloc(64)),
    'of version 1': () => Buffer.concat([Buffer.from('GGUF'), u32(1), Buffer.alloc(64)]),
    'for big-endian machines': () => Buffer.concat([Buffer.from('GGUF'), Buffer.from([0, 0, 0, 3]), Buffer.alloc(64)]),
  },
  burdens: {
    'as many texts as are read': () => file(0, 1, text('k'), u32(LIST), u32(STRING), u64(MB), Buffer.alloc(8 * MB)),
    'keys that are prototypes': () =>
      file(1, 1, text('__proto__'), u32(U32), u32(1), info('constructor', [2], 0, 0), Buffer.alloc(64)),
    'very many tensors': () =>
      file(
        60_000,
        0,
        many(60_000, (i) => info(`${i}`, [1], 0, 32 * i)),
        Buffer.alloc(32 * 60_001),
      ),
  },
  words: [
    u64(0),
    u64(1),
    u64(2n ** 63n),
    u32(STRING),
    u32(LIST),
    text('general.alignment'),
    info('x', [32], 8, 0),
    info('x', [256], 12, 32),
    'GGUF',
  ],
  read(bytes) {
    const { metadata: found, tensors, read } = openGguf(sourceOf(bytes), 'model.gguf');
    const lines = [...tensors].map(([name, { shape, form }]) => {
      const data = read(name);
      return `${JSON.stringify(name)}[${shape.join()}]${form.name}=${digest(data)}`;
    });
    const facts = [...found].map(([key, value]) => `${JSON.stringify(key)}:${valueText(value)}`);
    return `${lines.sort().join(' ')} ${facts.sort().join(' ')}`;
  },
  again,
};

const digest = (data: Float32Array): string => {
  const plain = data.map((value) => (Number.isNaN(value) ? NaN : value));
  return createHash('sha256').update(new Uint8Array(plain.buffer)).digest('hex').slice(0, 12);
};

const valueText = (value: unknown): string =>
  typeof value === 'object' ? Array.from(value as ArrayLike<unknown>, String).join() : String(value);

/** Takes the header's word for everything; knows only the forms of the small file. */
function again(bytes: Buffer): string | null | typeof unknown {
  let at = 24;
  const number = (size: 4 | 8): number => {
    at += size;
    return size === 4 ? bytes.readUInt32LE(at - 4) : Number(bytes.readBigUInt64LE(at - 8));
  };
  const string = (): string => {
    const length = number(8);
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const scalar: Readonly<Record<number, () => unknown>> = {
    [U32]: () => number(4),
    [STRING]: string,
    5: () => number(4) | 0,
    6: () => {
      at += 4;
      return bytes.readFloatLE(at - 4);
    },
  };
  const value = (type: number): unknown => {
    const read = scalar[type];
    if (read !== undefined) return read();
    const [element, count] = [number(4), number(8)];
    const one = type === LIST ? scalar[element] : undefined;
    return one === undefined || count > bytes.length ? unknown : Array.from({ length: count }, () => one());
  };
  const [tensors, entries] = [Number(bytes.readBigUInt64LE(8)), Number(bytes.readBigUInt64LE(16))];
  const found = new Map<string, unknown>();
  for (let i = 0; i < entries; i++) {
    const key = string();
    const read = value(number(4));
    if (read === unknown) return unknown;
    found.set(key, read);
  }
  const table = Array.from({ length: tensors }, () => {
    const name = string();
    const shape = Array.from({ length: number(4) }, () => number(8)).reverse();
    return { name, shape, form: number(4), offset: number(8) };
  });
  if (table.some(({ form }) => !(form in lenientForms))) return unknown;
  const alignment = Number(found.get('general.alignment') ?? 32);
  const start = Math.ceil(at / alignment) * alignment;
  const lines = table.map(({ name, shape, form, offset }) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const { label, read } = lenientForms[form] ?? { label: '', read: () => NaN };
    const data = Float32Array.from({ length: count }, (_, i) => read(bytes, start + offset, i));
    return `${JSON.stringify(name)}[${shape.join()}]${label}=${digest(data)}`;
  });
  const facts = [...found].map(([key, read]) => `${JSON.stringify(key)}:${valueText(read)}`);
  return `${lines.sort().join(' ')} ${facts.sort().join(' ')}`;
}

function half(bytes: Buffer, at: number): number {
  const bits = bytes.readUInt16LE(at);
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction / 2 ** 24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const lenientForms: Readonly<
  Record<number, { readonly label: string; readonly read: (bytes: Buffer, start: number, i: number) => number }>
> = {
  0: { label: 'F32', read: (bytes, start, i) => bytes.readFloatLE(start + 4 * i) },
  1: { label: 'F16', read: (bytes, start, i) => half(bytes, start + 2 * i) },
  8: {
    label: 'Q8_0',
    read: (bytes, start, i) => {
      const block = start + 34 * Math.floor(i / 32);
      return half(bytes, block) * bytes.readInt8(block + 2 + (i % 32));
    },
  },
};
