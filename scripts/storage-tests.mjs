// The tests that run main/storage and the checkpoints' format: `npm run coverage` counts which branches they take
// (vitest.coverage.ts), and `npm test` runs them in that way.
export const storageTests = [
  'tests/storage/**/*.test.ts',
  'tests/jobs/project-store.test.ts',
  'tests/engine/checkpoint.test.ts',
  'tests/engine/safetensors.test.ts',
  'tests/crash/any-order.test.ts',
];
