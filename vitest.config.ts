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

/**
 * Files that neither load TensorFlow nor change anything of their process: they share one for all, as most of what they
 * take is starting and loading. It saves a twentieth of the whole run.
 */
const LIGHT = [
  ...['docs', 'formats', 'services', 'application', 'tools/lint'],
  ...['engine/judging', 'engine/statistics', 'engine/tokenizer', 'storage/disk', 'storage/projects'],
  ...['components', 'composables', 'format', 'playground', 'project', 'series', 'warnings', 'wizard'].map((name) => `renderer/${name}`),
  ...['shared/config', 'shared/client'],
].map((folder) => `tests/${folder}/**/*.test.ts`).concat('tests/shared/*.test.ts'); // prettier-ignore

export default defineConfig(({ mode }) => ({
  plugins: [requireTensorflowInTests(import.meta.dirname)],
  test: {
    globalSetup: 'tests/support/file-reader.ts',
    sequence: { sequencer: SlowFilesFirst },
    ...limits,
    projects:
      // `--mode long`: what takes half an hour, and is no part of `npm test`.
      mode === 'long'
        ? [{ extends: true, test: { name: 'long', include: ['tests/**/*.long.ts'] } }]
        : [
            { extends: true, test: { name: 'own', include: ['tests/**/*.test.ts'], exclude: LIGHT } },
            { extends: true, test: { name: 'light', include: LIGHT, isolate: false } },
          ],
  },
}));
