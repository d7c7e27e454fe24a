/** What training and writing are said to take, against the peak of real processes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTensorflow } from '../../../scripts/setup/require-tensorflow.mjs';
import { modelConfigSchema, type GPTConfig } from '../../../shared/config/model.js';
import {
  largestBatch,
  scoringMemory,
  trainingBatch,
  trainingMemory,
  writingMemory,
} from '../../../shared/costs/memory.js';

const root = join(import.meta.dirname, '../../..');
// Few layers: each process compiles each of them in every function.
const tiny = { n_layer: 2, n_head: 4, n_embd: 128, block_size: 64 };
const small = { n_layer: 2, n_head: 3, n_embd: 192, block_size: 128 };
const wordy = { n_layer: 1, n_head: 2, n_embd: 128, block_size: 64, vocab_size: 20_000 };
const gated = {
  ...tiny,
  architecture: 'llama',
  llama: {
    n_kv_head: 2,
    head_dim: 32,
    n_inner: 344,
    norm_epsilon: 1e-5,
    rope_theta: 10_000,
    max_positions: 64,
    tied_head: true,
    qk_norm: false,
    attention_bias: 'none',
  },
};
const training = (model: GPTConfig, rows: number) => trainingMemory(model, rows);
const phases = [
  { phase: 'train', name: 'Llama’s family', model: gated, rows: 12, estimate: training },
  { phase: 'train', name: 'a large vocabulary', model: wordy, rows: 12, estimate: training },
  { phase: 'train', name: 'a large batch', model: small, rows: 64, estimate: training },
  {
    phase: 'team',
    name: 'many weights for several processes',
    model: { n_layer: 1, n_head: 4, n_embd: 896, block_size: 16 },
    rows: 4,
    estimate: (model: GPTConfig, batch_size: number) =>
      trainingBatch(model, { batch_size }, {}).bytesFor(batch_size, {}),
  },
  {
    phase: 'grpo',
    name: 'tiny',
    model: tiny,
    rows: 32,
    estimate: (model: GPTConfig, rows: number) => trainingMemory(model, rows, { frozen: [model, model] }),
  },
  { phase: 'score', name: 'a large vocabulary', model: wordy, rows: 64, estimate: scoringMemory },
  { phase: 'write', name: 'tiny', model: tiny, rows: 256, estimate: writingMemory },
];
const modelOf = (model: object) => modelConfigSchema.parse({ vocab_size: 65, dropout: 0, ...model });

describe('the memory of a phase', () => {
  let folder = '';
  beforeAll(async () => {
    mkdirSync(join(root, 'dist'), { recursive: true });
    folder = mkdtempSync(join(root, 'dist/memory-'));
    await build({
      absWorkingDir: root,
      entryPoints: ['tests/engine/fixtures/phase-peak.ts'],
      outfile: join(folder, 'phase-peak.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      plugins: [requireTensorflow(root)],
      logLevel: 'silent',
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(phases)(
    'is within 25 % of what a process takes: $phase, $name',
    ({ phase, model, rows, estimate }) => {
      const input = JSON.stringify({ phase, model: modelOf(model), rows });
      const output = execFileSync(process.execPath, [join(folder, 'phase-peak.mjs'), input], {
        cwd: tmpdir(),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const measured = Number(output.trim());
      const ratio = estimate(modelOf(model), rows) / measured;

      expect(ratio).toBeGreaterThan(0.75);
      expect(ratio).toBeLessThan(1.25);
    },
    120_000,
  );
});

describe('the largest batch', () => {
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
