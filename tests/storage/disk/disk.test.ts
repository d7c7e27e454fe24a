// Free space is checked before it is needed, and the fault names what is missing.
import * as os from 'node:os';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { freeBytes, requireSpace } from '../../../main/storage/disk/disk.js';

const statFs = () => ({ bavail: 300, bsize: 1_000_000 });

describe('freeBytes', () => {
  it('asks the disk of the nearest folder that exists', () => {
    const here = freeBytes(os.tmpdir());
    expect(here).toBeGreaterThan(0);
    expect(freeBytes(path.join(os.tmpdir(), 'not', 'yet', 'there'))).toBeGreaterThan(0);
  });

  it('is unknown where the system does not tell', () => {
    expect(
      freeBytes('/a/b', () => {
        throw new Error('no');
      }),
    ).toBeNull();
  });
});

describe('requireSpace', () => {
  it('states how much is missing', () => {
    expect(() => requireSpace('/x', 1_500_000_000, 'the reward dataset', statFs)).toThrow(
      expect.objectContaining({
        code: 'disk_full',
        message: 'Not enough room for the reward dataset at /x: it needs 1.5 GB, 300 MB are free, 1.2 GB are missing',
      }),
    );
  });
});
