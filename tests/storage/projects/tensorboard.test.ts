// Event files as TensorBoard reads them: the framing, the checksums, the messages.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crc32c } from '../../../main/formats/crc32.js';
import { createEventFile, createTensorboard, record } from '../../../main/storage/projects/tensorboard.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const written = (inside = '') => {
  const [name = ''] = fs.readdirSync(path.join(folder, inside));
  expect(name).toMatch(/^events\.out\.tfevents\.1700000000\./);
  return fs.readFileSync(path.join(folder, inside, name));
};

describe('event files', () => {
  it('have the checksum of RFC 3720', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  });

  it('frame a record as TensorFlow does', () => {
    const framed = Buffer.from(record(Buffer.from('abc')));
    expect(framed.readBigUInt64LE(0)).toBe(3n);
    expect(framed.subarray(12, 15).toString()).toBe('abc');
    expect(framed).toHaveLength(3 + 16);
  });

  it('are the bytes that tensorboard 2.21 was seen to read back as these numbers', () => {
    // Read once with tensorboard's own EventAccumulator: loss (3, 1.5), (300, NaN), and kl (3, -0.25).
    const file = createEventFile(folder, 1_700_000_000_500);
    file.append(3, { loss: 1.5, kl: -0.25 }, 1_700_000_001_000);
    file.append(300, { loss: null }, 1_700_000_002_250);
    file.close();
    const records = [
      '1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110',
      '2500000000000000eabc36f30900004040fc54d94110032a180a0b0a046c6f7373150000c03f0a090a026b6c15000080be45c8fd91',
      '1b000000000000001a0d9e130900009040fc54d94110ac022a0d0a0b0a046c6f7373150000c07feada37ef',
    ];
    expect(written().toString('hex')).toBe(records.join(''));
  });

  it('lie in a folder for each run', () => {
    const board = createTensorboard(folder);
    board.append('00-base_training', 1, { loss: 1 }, 1_700_000_000_000);
    board.append('01-grpo', 1, { reward: 1 }, 1_700_000_000_000);
    board.append('01-grpo', 2, { reward: 2 }, 1_700_000_000_000);
    board.close();
    expect(fs.readdirSync(folder)).toEqual(['00-base_training', '01-grpo']);
    expect(written('01-grpo').length).toBeGreaterThan(written('00-base_training').length);
  });
});
