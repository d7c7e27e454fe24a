/** What training is said to take, against the peak of real processes that train. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largestBatch, trainingMemory } from '../../main/engine/memory.js';
import { mustFitInMemory } from '../../main/jobs/memory.js';
import { modelConfigSchema } from '../../shared/config/model.js';
import { UserError } from '../../shared/errors.js';

const root = join(import.meta.dirname, '../..');
const shapes = [
  { name: 'tiny', model: { n_layer: 4, n_head: 4, n_embd: 128, block_size: 64 }, rows: 12 },
  {
    name: 'a large vocabulary',
    model: { n_layer: 2, n_head: 2, n_embd: 128, block_size: 64, vocab_size: 20_000 },
    rows: 12,
  },
  { name: 'a large batch', model: { n_layer: 3, n_head: 3, n_embd: 192, block_size: 128 }, rows: 64 },
];
const modelOf = (model: object) => modelConfigSchema.parse({ vocab_size: 65, dropout: 0, ...model });

describe('the memory of training', () => {
  let folder = '';
  beforeAll(async () => {
    mkdirSync(join(root, 'dist'), { recursive: true });
    folder = mkdtempSync(join(root, 'dist/memory-'));
    await build({
      absWorkingDir: root,
      entryPoints: ['tests/engine/fixtures/train-peak.ts'],
      outfile: join(folder, 'train-peak.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(shapes)(
    'is within 25 % of what a process takes: $name',
    ({ model, rows }) => {
      const input = JSON.stringify({ model: modelOf(model), rows });
      const output = execFileSync(process.execPath, [join(folder, 'train-peak.mjs'), input], {
        cwd: tmpdir(),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const measured = Number(output.trim());
      const ratio = trainingMemory(modelOf(model), rows) / measured;
      expect(ratio).toBeGreaterThan(0.75);
      expect(ratio).toBeLessThan(1.25);
    },
    120_000,
  );
});

describe('what does not fit', () => {
  it('is refused with the largest batch that does', () => {
    const bytesFor = (rows: number) => 1e9 + rows * 1e8;
    const refuse = (available: number) => {
      try {
        mustFitInMemory({ field: 'batch_size', rows: 64 }, bytesFor, { device: 'cpu' }, available);
        return null;
      } catch (error) {
        return error instanceof UserError ? error.toFault() : error;
      }
    };
    expect(refuse(8e9)).toBeNull();
    expect(refuse(4e9)).toMatchObject({
      code: 'out_of_memory',
      field: 'batch_size',
      message: 'About 7.4 GB of memory would be needed; this machine has 4.0 GB',
      hint: expect.stringContaining('Use --batch_size 30 instead of 64') as unknown,
    });
    expect(refuse(1e9)).toMatchObject({ hint: expect.stringMatching(/^Use a smaller model/) as unknown });
  });

  it('is found by halving, whatever a row takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(10_000), fc.nat(100), (asked, available, perRow) => {
        const bytesFor = (rows: number) => 100 + rows * perRow;
        const largest = largestBatch(asked, bytesFor, available);
        if (largest > 0) expect(bytesFor(largest)).toBeLessThanOrEqual(available);
        if (largest < asked) expect(bytesFor(largest + 1)).toBeGreaterThan(available);
      }),
    );
  });
});
