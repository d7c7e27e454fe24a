// train.bin and val.bin: read by position, and refused with the reason when they are not what they claim to be.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTokenFile, type OpenTokenFileOptions, tokenBytes } from '../../../main/storage/datasets/token-files.js';
import { inEnglish } from '../../support/messages.js';
import { faultOf } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
function write(bytes: Uint8Array, name = 'train.bin'): string {
  fs.writeFileSync(at(name), bytes);
  return at(name);
}
const open = (bytes: Uint8Array, options?: OpenTokenFileOptions) => openTokenFile(write(bytes), options);

describe('a token file', () => {
  it('is read at any position', () => {
    fc.assert(
      fc.property(fc.uint16Array({ minLength: 1, maxLength: 50 }), fc.nat(50), fc.nat(50), (ids, first, second) => {
        const [from, to] = [Math.min(first, second, ids.length), Math.min(Math.max(first, second), ids.length)];
        const file = open(tokenBytes(ids));
        expect(file.length).toBe(ids.length);
        expect(file.read(from, to - from)).toEqual(ids.slice(from, to));
        expect(() => file.read(ids.length, 1)).toThrow(RangeError);
        file.close();
      }),
    );
  });

  it('larger than 4 GiB is read where it is asked to', () => {
    const file = at('sparse.bin');
    const handle = fs.openSync(file, 'w');
    // Ids that are plainly not 32-bit ones, or all of it would be looked at for that.
    fs.writeSync(handle, Buffer.from('01000200', 'hex'), 0, 4, 0);
    fs.writeSync(handle, Buffer.from('07000800', 'hex'), 0, 4, 5_000_000_000);
    fs.closeSync(handle);
    const source = openTokenFile(file);
    expect(source.length).toBe(2_500_000_002);
    expect(source.read(2_500_000_000, 2)).toEqual(Uint16Array.of(7, 8));
    source.close();
    fs.rmSync(file);
  });
});

describe('a file that is none', () => {
  it.each([
    ['empty', new Uint8Array(0), 'it is empty'],
    ['of odd length', new Uint8Array(7), 'its 7 bytes are not a whole number of 2-byte token ids'],
  ])('%s', (_, bytes, message) => {
    const fault = faultOf(() => open(bytes, { split: 'train' }));
    expect(fault).toMatchObject({ code: 'binary_file', field: 'train_bin' });
    expect(fault.message).toBe(`${at('train.bin')} is not a token file: ${message}`);
  });

  it('has an id that the vocabulary lacks: the documented words, and where', () => {
    const ids = new Uint16Array(1_200_000).fill(64);
    openTokenFile(write(tokenBytes(ids)), { vocabSize: 65 }).close();
    ids[1_100_000] = 65;
    const fault = faultOf(() => open(tokenBytes(ids), { vocabSize: 65, split: 'train' }));
    expect(fault.code).toBe('binary_file');
    expect(fault.message).toBe(
      `Token range incompatible in train data: ${at('train.bin')} has the id 65 at position 1100000, but vocab_size is 65`,
    );
  });

  it('is missing: the documented words', () => {
    expect(faultOf(() => openTokenFile('nonexistent.bin', { split: 'train' }))).toMatchObject({
      code: 'file_not_found',
      message: 'Train binary file not found: nonexistent.bin',
    });
    expect(faultOf(() => openTokenFile('nonexistent.bin', { split: 'val' })).message).toBe(
      'Val binary file not found: nonexistent.bin',
    );
    const { message, field } = faultOf(() => openTokenFile('nonexistent.bin'));
    expect([message, field]).toEqual(['Token file not found: nonexistent.bin', undefined]);
    expect(faultOf(() => openTokenFile(folder, { split: 'val' })).code).toBe('file_not_readable');
  });
});

describe('an llm.c file', () => {
  const llmC = (version: number, count: number, ids: Uint16Array): Buffer => {
    const header = new Int32Array(256);
    header.set([20240520, version, count]);
    return Buffer.concat([Buffer.from(header.buffer), tokenBytes(ids)]);
  };

  it('is recognised: its header is not taken for tokens, and a note says so', () => {
    const file = open(llmC(1, 3, Uint16Array.of(50256, 1, 2)), { vocabSize: 50257 });
    expect(file.length).toBe(3);
    expect(file.read(0, 3)).toEqual(Uint16Array.of(50256, 1, 2));
    expect(file.note && inEnglish(file.note)).toContain('its header of 1024 bytes was skipped, 3 tokens follow');
    file.close();
  });

  it('of 32-bit ids, or cut short, is refused', () => {
    expect(faultOf(() => open(llmC(7, 3, new Uint16Array(6)))).message).toContain('an llm.c token file of version 7');
    expect(faultOf(() => open(llmC(1, 3, new Uint16Array(2)))).message).toContain('promises 3 tokens, but 2 follow');
  });
});
