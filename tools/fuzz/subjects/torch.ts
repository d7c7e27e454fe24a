/** PyTorch checkpoints: a zip archive with a pickle in it; Python's zipfile and pickle read again what was read. */
import { createHash } from 'node:crypto';
import { readTorchCheckpoint } from '../../../main/formats/torch/torch-checkpoint.js';
import { encodeZip, type ZipPart } from '../../../main/formats/torch/torch-checkpoint-zip-write.js';
import { readRepositoryFile, sourceOf } from '../places.js';
import type { Subject } from '../subject.js';
import { pickleBombs, pickleWords } from './pickle-bombs.js';

interface Place {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** Where the parts of a good archive lie: PyTorch's own, or one of ours, whose sizes and places stand in their 64-bit form. */
function places(file: Buffer): Place[] {
  const found: Place[] = [];
  for (let at = file.indexOf('PK\x01\x02', 0, 'latin1'); at !== -1; at = file.indexOf('PK\x01\x02', at + 4, 'latin1')) {
    const nameEnd = at + 46 + file.readUInt16LE(at + 28);
    const isWide = file.readUInt32LE(at + 42) === 0xffffffff;
    const local = isWide ? Number(file.readBigUInt64LE(nameEnd + 20)) : file.readUInt32LE(at + 42);
    const size = isWide ? Number(file.readBigUInt64LE(nameEnd + 4)) : file.readUInt32LE(at + 24);
    const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    found.push({ name: file.toString('utf8', at + 46, nameEnd), begin, end: begin + size });
  }
  return found;
}

/** The archive's own bytes: the first part's header, a tensor's, the last entry of the directory with what ends it. Others are alike. */
function headersOf(file: Buffer): [number, number][] {
  const parts = places(file);
  const tensor = parts.findIndex(({ name }) => /\/data\/\d+$/.test(name));
  const [first, before, at] = [parts[0], parts[tensor - 1], parts[tensor]];
  if (!first || !before || !at) throw new Error('not an archive of PyTorch’s');
  const lastEntry = file.lastIndexOf('PK\x01\x02', file.length, 'latin1');
  return [
    [0, first.begin],
    [before.end, at.begin],
    [lastEntry, file.length],
  ];
}

const sample = (name: string) => ({ name, bytes: readRepositoryFile(`tests/parity/fixtures/foreign/${name}`) });

/** The archive with another data.pkl, its checksums right. */
function withPickle(pickle: Uint8Array, file: Buffer): Buffer {
  const parts = places(file).map(({ name, begin, end }): ZipPart => ({
    name,
    bytes: name.endsWith('/data.pkl') ? pickle : file.subarray(begin, end),
  }));
  return Buffer.concat(encodeZip(parts));
}

const half = sample('half.pt');
const zip = (...parts: readonly (readonly [string, Uint8Array | string])[]): Buffer =>
  Buffer.concat(encodeZip(parts.map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes as Uint8Array) }))));

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const int = (value: number): Buffer => {
  const out = Buffer.from([0x4a, 0, 0, 0, 0]);
  out.writeInt32LE(value, 1);
  return out;
};
const text = (value: string): Buffer =>
  Buffer.concat([latin(`\x8c${String.fromCharCode(value.length)}`), Buffer.from(value)]);

/** A model of many layers, every one of whose tensors is the same few numbers of the file. */
function sharedNumbers(layers: number, width: number): Buffer {
  const shapes: [string, number[]][] = [
    ['wte', [8, width]],
    ['wpe', [8, width]],
    ['ln_f', [width]],
  ];
  for (let i = 0; i < layers; i++) {
    shapes.push([`h.${i}.ln_1`, [width]], [`h.${i}.ln_2`, [width]], [`h.${i}.attn.c_attn`, [3 * width, width]]);
    shapes.push(
      [`h.${i}.attn.c_proj`, [width, width]],
      [`h.${i}.mlp.c_fc`, [4 * width, width]],
      [`h.${i}.mlp.c_proj`, [width, 4 * width]],
    );
  }
  const count = 4 * width * width;
  const storage = Buffer.concat([
    latin('('),
    text('storage'),
    latin('ctorch\nHalfStorage\n'),
    text('0'),
    text('cpu'),
    int(count),
    latin('tQq\x01'),
  ]);
  const tensors = shapes.map(([name, shape]) => {
    const strides = shape.length === 2 ? [shape[1] ?? 1, 1] : [1];
    const tuple = (values: readonly number[]) => Buffer.concat([latin('('), ...values.map(int), latin('t')]);
    return Buffer.concat([
      text(`transformer.${name}.weight`),
      latin('h\x00(h\x01K\x00'),
      tuple(shape),
      tuple(strides),
      latin('\x89NtR'),
    ]);
  });
  const args = { n_layer: layers, n_head: 1, n_embd: width, block_size: 8, vocab_size: 8 };
  const settings = Object.entries(args).map(([key, value]) => Buffer.concat([text(key), int(value)]));
  const pickle = Buffer.concat([
    ...[
      latin('\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x000'),
      storage,
      latin('0}('),
      text('model'),
      latin('}('),
      ...tensors,
    ],
    ...[latin('u'), text('model_args'), latin('}('), ...settings, text('bias'), latin('\x89uu.')],
  ]);
  return zip(['x/data.pkl', pickle], ['x/data/0', Buffer.alloc(2 * count)]);
}

export const torch: Subject = {
  name: 'torch',
  // As many parts of a pickle as it reads take most of a second, of a slow processor more.
  limits: { cpuMs: 3000, memory: 64 << 20 },
  samples: [
    // Small, so that every byte of it can be changed in turn; of PyTorch's own, every byte of the archive's headers.
    { name: 'small.pt', bytes: sharedNumbers(1, 2) },
    { ...half, structure: headersOf(half.bytes) },
    ...['bfloat16.pt', 'views.pt'].map((name) => ({ ...sample(name), onlyRandom: true })),
  ],
  bombs: {
    ...Object.fromEntries(
      Object.entries(pickleBombs).map(([name, make]) => [`${name}.pt`, () => zip(['x/data.pkl', make()])]),
    ),
    'no pickle.pt': () => zip(['x/data/0', 'abc']),
    'two pickles.pt': () => zip(['x/data.pkl', '}.'], ['y/data.pkl', '}.']),
    'very many parts.pt': () => zip(...Array.from({ length: 20_000 }, (_, i): [string, string] => [`x/${i}`, ''])),
    'parts with one name.pt': () => zip(['x/data.pkl', '}.'], ['x/data.pkl', '}.']),
    'a name of 60 kB.pt': () => zip([`${'n'.repeat(60_000)}/data.pkl`, '}.']),
    'numbers that all tensors share.pt': () => sharedNumbers(200, 128),
    'the format before 1.6.pt': () => latin('\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.'),
    'only an end.pt': () => Buffer.concat([latin('PK\x05\x06'), Buffer.alloc(18)]),
  },
  words: [
    ...pickleWords,
    latin('ctorch._utils\n_rebuild_tensor_v2\n'),
    latin('ctorch\nFloatStorage\n'),
    latin('ccollections\nOrderedDict\n'),
    latin('Q'),
    latin('cx\nyConfig\n'),
  ],
  inside: {
    get(file) {
      const found = places(file).find(({ name }) => name.endsWith('/data.pkl'));
      return file.subarray(found?.begin, found?.end);
    },
    put: withPickle,
  },
  read(bytes) {
    const { config, weights } = readTorchCheckpoint(sourceOf(bytes), 'model.pt');
    const tensors = Object.entries(weights).map(([name, { shape, data }]) => {
      const numbers = new Float32Array(data);
      numbers.forEach((value, i) => Number.isNaN(value) && numbers.set([NaN], i));
      const digest = createHash('sha256').update(new Uint8Array(numbers.buffer)).digest('hex').slice(0, 16);
      return `${name}[${shape.join()}]=${digest}`;
    });
    return [`n_layer=${config.n_layer}`, `n_head=${config.n_head}`, ...tensors].sort().join(';');
  },
  again: 'python',
};
