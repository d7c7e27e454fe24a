// How the tests run: real TensorFlow in every file, so few workers and long limits.
import { defineConfig } from 'vitest/config';
import { requireTensorflowInTests } from './scripts/setup/require-tensorflow.mjs';
import { SlowFilesFirst } from './tests/support/slow-files-first.js';

export const limits = {
  // TensorFlow uses every core by itself, and a process that has loaded it cannot unload it: one fork per file.
  pool: 'forks',
  // One more than the cores of the smallest machine: windows, trainers and timers are waited for a good part of the time.
  maxWorkers: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The machine may have other things to do: what is waited for is a state, not a time.
  expect: { poll: { timeout: 30_000, interval: 50 } },
} as const;

export default defineConfig(({ mode }) => ({
  plugins: [requireTensorflowInTests(import.meta.dirname)],
  test: {
    // `--mode long`: what takes half an hour, and is no part of `npm test`.
    include: [mode === 'long' ? 'tests/**/*.long.ts' : 'tests/**/*.test.ts'],
    globalSetup: 'tests/support/file-reader.ts',
    sequence: { sequencer: SlowFilesFirst },
    ...limits,
  },
}));
