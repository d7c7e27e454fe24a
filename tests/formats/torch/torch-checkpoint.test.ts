// Checkpoints that PyTorch wrote (tests/parity/make_foreign.py): the same numbers, the same answers, and nothing is run.
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../../main/formats/crc32.js';
import { readTorchCheckpoint } from '../../../main/formats/torch/torch-checkpoint.js';
import { relativeError } from '../../parity/fixture.js';
import { flat, foreignFacts, outputOf, readForeign, tensorHashes } from '../../parity/foreign.js';
import { faultOf } from '../../storage/fault-of.js';
import { sourceOf } from '../gguf/places.js';

const read = (name: string) => readTorchCheckpoint(sourceOf(readForeign(`${name}.pt`)), `${name}.pt`);

/** The archive with one entry's bytes replaced by others of the same length, and its checksum mended. */
function withEntry(bytes: Uint8Array, find: string, change: (entry: Buffer) => void): Buffer {
  const file = Buffer.from(bytes);
  for (let at = file.indexOf('PK\x01\x02', 0, 'latin1'); at !== -1; at = file.indexOf('PK\x01\x02', at + 4, 'latin1')) {
    const name = file.toString('utf8', at + 46, at + 46 + file.readUInt16LE(at + 28));
    if (!name.endsWith(find)) continue;
    const local = file.readUInt32LE(at + 42);
    const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const entry = file.subarray(begin, begin + file.readUInt32LE(at + 24));
    change(entry);
    file.writeUInt32LE(crc32(entry), at + 16);
    return file;
  }
  throw new Error(`no entry ${find}`);
}

function replaced(bytes: Uint8Array, from: string, to: string): Buffer {
  return withEntry(bytes, 'data.pkl', (entry) => {
    const at = entry.indexOf(from, 0, 'latin1');
    if (at === -1 || from.length !== to.length) throw new Error(`${from} cannot become ${to}`);
    entry.write(to, at, 'latin1');
  });
}

describe.each(['nanogpt', 'half', 'bfloat16', 'reward'])('%s.pt', (name) => {
  const facts = foreignFacts(name);
  const checkpoint = read(name);

  it('has the shape and the numbers that PyTorch saved', () => {
    const { reward_head_hidden_dim: _, ...config } = facts.config;
    expect(checkpoint.config).toMatchObject(facts.config.mode === 'reward' ? facts.config : config);
    expect(tensorHashes(checkpoint.weights)).toEqual(facts.tensors);
  });

  it('computes what PyTorch computes', async () => {
    const output = await outputOf(checkpoint.config, checkpoint.weights, facts.ids);
    expect(relativeError(output, flat(facts.output))).toBeLessThan(1e-5);
  });
});

describe('a checkpoint of nanoGPT', () => {
  it('has the facts of its training', () => {
    const { training } = read('nanogpt');
    expect(training).toEqual({ iter_num: 2000, best_val_loss: Math.fround(1.4697), dataset: 'letters' });
  });

  it('is read by position: the numbers of its optimizer are never read', () => {
    const bytes = readForeign('nanogpt.pt');
    const touched = new Uint8Array(bytes.length);
    readTorchCheckpoint(
      sourceOf(bytes, (position, count) => touched.fill(1, position, position + count)),
      'nanogpt.pt',
    );
    const untouched = touched.filter((byte) => byte === 0).length;
    const weights = Object.values(read('nanogpt').weights).reduce((sum, { data }) => sum + data.byteLength, 0);
    expect(untouched).toBeGreaterThan(2 * weights); // AdamW's two moments of each weight
  });
});

describe('what cannot be used is refused with the reason', () => {
  it.each([
    ['untied', 'checkpoint', /its lm_head.weight is not transformer.wte.weight/],
    ['weights-only', 'checkpoint', /it holds no "model"/],
    ['double', 'file_damaged', /tensor transformer\.wte\.weight is F64; F32, F16, BF16 can be read/],
    ['legacy', 'file_damaged', /the format of PyTorch before 1\.6/],
  ])('%s', (name, code, message) => {
    const fault = faultOf(() => read(name));
    expect(fault).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
    expect(fault.hint).not.toBe('');
  });

  const half = readForeign('half.pt');
  it.each<[string, Buffer, RegExp]>([
    [
      'another class than a configuration',
      replaced(half, 'cmodel\nGPTConfig\n', 'cmodels\nGPTConfg\n'),
      /"models\.GPTConfg"/,
    ],
    ['a function of the system', replaced(half, 'cmodel\nGPTConfig\n', 'cposix\nsystem   \n'), /"posix\.system {3}"/],
    ['another function of PyTorch', replaced(half, '_rebuild_tensor_v2', '_rebuild_tensor_v9'), /_rebuild_tensor_v9/],
    [
      'a tensor of another shape',
      replaced(half, 'K\x0bK\x0c\x86', 'K\x0cK\x0b\x86'),
      /has shape \[12, 11\], the model needs/,
    ],
    ['a changed weight', changed(half, 'data/0'), /the bytes of half\/data\/0 are not those that were written/],
    ['a changed description', changed(half, 'data.pkl'), /the bytes of half\/data\.pkl are not/],
    ['big-endian numbers', withEntry(half, 'byteorder', (entry) => entry.write('bigend')), /byte order is "bigend"/],
    ['not a zip', Buffer.from('hello'), /not a valid zip archive/],
    ['empty', Buffer.alloc(0), /not a valid zip archive/],
  ])('%s', (_, bytes, message) => {
    const fault = faultOf(() => readTorchCheckpoint(sourceOf(bytes), 'x.pt'));
    expect(fault.message).toMatch(message);
    expect(['checkpoint', 'file_damaged']).toContain(fault.code);
  });

  /** One byte of an entry is another; its checksum is not mended. */
  function changed(bytes: Buffer, name: string): Buffer {
    const file = withEntry(bytes, name, (entry) => (entry[20] = (entry[20] ?? 0) ^ 1));
    const at = file.indexOf(`/${name}`, file.indexOf('PK\x01\x02', 0, 'latin1')) - 'half'.length - 46;
    bytes.copy(file, at + 16, at + 16, at + 20);
    return file;
  }

  it('a tensor that is not contiguous', () => {
    // wpe [8, 12] with strides (12, 1) gets another first one.
    const expanded = withEntry(half, 'data.pkl', (pickle) => {
      const shape = pickle.indexOf('K\x08K\x0c\x86', 0, 'latin1');
      pickle[pickle.indexOf('K\x0cK\x01\x86', shape, 'latin1') + 1] = 0;
    });
    const fault = faultOf(() => readTorchCheckpoint(sourceOf(expanded), 'x.pt'));
    expect(fault.message).toMatch(/tensor transformer\.wpe\.weight is not contiguous/);
  });

  it('a class of any module may describe the model; it is never looked up', () => {
    const other = replaced(half, 'cmodel\nGPTConfig\n', 'cevil.x\nGPTConfig');
    expect(() => readTorchCheckpoint(sourceOf(other), 'x.pt')).toThrow();
    const named = replaced(half, 'cmodel\nGPTConfig\n', 'c__m_n\nGPTConfig\n');
    expect(readTorchCheckpoint(sourceOf(named), 'x.pt').config.n_layer).toBe(1);
  });
});
