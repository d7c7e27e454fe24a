// `npm run coverage`, and the first half of the tests in `npm test`: of what keeps a person's work, every branch is
// taken by a test, or the run fails. Counting takes time, so only the tests that are about it count.
import { defineConfig } from 'vitest/config';
import { storageTests } from './scripts/storage-tests.mjs';
import { limits } from './vitest.config.js';

export default defineConfig({
  test: {
    include: storageTests,
    ...limits,
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['main/storage/*.ts', 'main/engine/checkpoint.ts', 'main/engine/safetensors.ts'],
      // What reads other programs' texts and models keeps nothing: it is fuzzed instead (tests/fuzz).
      exclude: ['glob', 'json-records', 'parquet-*', 'text-*', 'unpack', 'xxhash64', 'zstd*', 'foreign-models'].map(
        (name) => `main/storage/${name}.ts`,
      ),
      reporter: ['text'],
      reportsDirectory: 'tests/artifacts/coverage',
      reportOnFailure: true,
      thresholds: { branches: 100 },
    },
  },
});
