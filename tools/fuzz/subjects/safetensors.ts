/** Weights: the header is JSON, the numbers have no checksum. */
import { createHash } from 'node:crypto';
import { decodeSafetensors, encodeSafetensors } from '../../../main/formats/safetensors.js';
import type { Subject } from '../subject.js';

/** A file with any header. */
function withHeader(header: Uint8Array | string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const text = Buffer.from(header as Uint8Array);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, data]);
}

const weights = Buffer.concat([
  ...encodeSafetensors(
    {
      'h.0.weight': { shape: [2, 3], data: Float32Array.of(1, -0, 2.5, Infinity, 1e-45, 0.1) },
      bias: { shape: [], data: Float32Array.of(7) },
      empty: { shape: [0, 5], data: new Float32Array(0) },
    },
    { format: 'pt' },
  ),
]);
const half = withHeader(
  '{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[1,2],"data_offsets":[4,8]},"c":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}}',
  Buffer.from('003c00c0803f00c00500000000000000', 'hex'),
);
const entry = (begin: number, end: number, shape: readonly number[] = [(end - begin) / 4]): string =>
  `{"dtype":"F32","shape":[${shape.join()}],"data_offsets":[${begin},${end}]}`;
const many = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join();
const LARGE = 1_400_000;

export const safetensors: Subject = {
  name: 'safetensors',
  samples: [
    { name: 'weights.safetensors', bytes: weights },
    { name: 'half.safetensors', bytes: half },
  ],
  bombs: {
    'a header of 2^63 bytes': () => Buffer.from('0000000000000080', 'hex'),
    'a header longer than the file': () =>
      Buffer.concat([Buffer.from('ffff000000000000', 'hex'), Buffer.alloc(99, 32)]),
    'ends beyond the file': () => withHeader(`{"a":${entry(0, 2 ** 50)}}`),
    'all in one place': () => withHeader(`{${many(20000, (i) => `"${i}":${entry(0, 4)}`)}}`, Buffer.alloc(4)),
    'nothing but nesting': () => withHeader('['.repeat(LARGE)),
    'objects in objects': () => withHeader(`${'{"a":'.repeat(LARGE / 6)}1${'}'.repeat(LARGE / 6)}`),
    'arrays in a shape': () =>
      withHeader(`{"a":{"dtype":"F32","shape":${'['.repeat(600_000)}${']'.repeat(600_000)},"data_offsets":[0,0]}}`),
    'a shape of very many axes': () =>
      withHeader(`{"a":${entry(0, 4, new Array<number>(600_000).fill(1))}}`, Buffer.alloc(4)),
    'very many metadata': () => withHeader(`{"__metadata__":{${many(120_000, (i) => `"${i}":${i}`)}}}`),
    'very many tensors in a wrong form': () => withHeader(`{${many(150_000, (i) => `"${i}":0`)}}`),
    'names that differ by their escapes': () => withHeader(`{${many(40_000, () => '"\\u0061":{}')}}`),
    'a name that is a prototype': () => withHeader(`{"__proto__":${entry(0, 0)}}`),
    'a very long name in a wrong form': () => withHeader(`{"${'n'.repeat(LARGE)}":1}`),
    'a very long name twice': () => withHeader(`{"${'n'.repeat(600_000)}":1,"${'n'.repeat(600_000)}":1}`),
    'white space': () => withHeader(`{"a"${' '.repeat(LARGE)}:1}`),
    'a header of 3 MB': () => withHeader(`{"a":${entry(0, 0)}${' '.repeat(3_000_000)}}`),
  },
  burdens: {
    'as many tensors as fit': () =>
      withHeader(`{${many(18_000, (i) => `"t${i}":${entry(4 * i, 4 * i + 4)}`)}}`, Buffer.alloc(72_000)),
    'metadata called constructor': () =>
      withHeader(`{"__metadata__":{"constructor":"x"},"toString":${entry(0, 4)}}`, Buffer.alloc(4)),
  },
  words: [
    '"__proto__":',
    '"constructor":',
    '"__metadata__":{}',
    ',"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}',
    '{',
    '[',
    '"F64"',
    '"BF16"',
    '-1',
    '1e400',
    '[0,4]',
    '\\u0000',
    'null',
  ],
  inside: {
    get: (file) => file.subarray(8, 8 + Number(file.readBigUInt64LE(0))),
    put: (header, file) => withHeader(header, file.subarray(8 + Number(file.readBigUInt64LE(0)))),
  },
  read(bytes) {
    const { arrays, metadata } = decodeSafetensors(bytes, 'weights.safetensors');
    const tensors = Object.entries(arrays).map(([name, { shape, data }]) => described(name, shape, data));
    return `${tensors.sort().join(' ')} ${JSON.stringify(Object.entries(metadata).sort())}`;
  },
  again,
};

function described(name: string, shape: readonly number[], data: Float32Array): string {
  const bytes = Buffer.alloc(4 * data.length);
  data.forEach((value, i) => bytes.writeFloatLE(Number.isNaN(value) ? NaN : value, 4 * i));
  return `${JSON.stringify(name)}[${shape.join()}]=${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
}

/** Takes the header's word for everything. */
function again(bytes: Buffer): string | null {
  const size = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + size)) as Record<string, unknown>;
  const { __metadata__: metadata = {}, ...rest } = header;
  const tensors = Object.entries(
    rest as Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>,
  );
  const lines = tensors.map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [begin, end],
      },
    ]) => {
      const width = { F32: 4, I32: 4, F16: 2, BF16: 2, I64: 8 }[dtype] ?? 0;
      const at = (i: number): number => 8 + size + begin + i * width;
      const read = (i: number): number => {
        if (dtype === 'F32') return bytes.readFloatLE(at(i));
        if (dtype === 'I32') return bytes.readInt32LE(at(i));
        if (dtype === 'I64') return Number(bytes.readBigInt64LE(at(i)));
        const bits = bytes.readUInt16LE(at(i));
        if (dtype === 'BF16') return new Float32Array(Uint32Array.of(bits << 16).buffer)[0] ?? NaN;
        const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
        if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
        return sign * (exponent === 0 ? fraction / 2 ** 24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
      };
      return described(
        name,
        shape,
        Float32Array.from({ length: width === 0 ? 0 : (end - begin) / width }, (_, i) => read(i)),
      );
    },
  );
  return `${lines.sort().join(' ')} ${JSON.stringify(Object.entries(metadata as object).sort())}`;
}
