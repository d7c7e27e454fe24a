// How the tests run: real TensorFlow in every file, so few workers and long limits.
import { defineConfig } from 'vitest/config';
import { requireTensorflowInTests } from './scripts/setup/require-tensorflow.mjs';
import { filesOf, LaneByLane, LANES } from './tests/support/lanes.js';

export const limits = {
  // A process that has loaded TensorFlow cannot unload it: forks, not threads.
  pool: 'forks',
  // One more than the cores of the smallest machine, as tests wait for windows, trainers and timers. Five took longer.
  maxWorkers: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Tests wait for a state, not a time: the machine may be busy.
  expect: { poll: { timeout: 30_000, interval: 50 } },
} as const;

/**
 * Makes XLA compile as fast as it can, not into the fastest code: a project of one cycle with every reward model takes 9 seconds of
 * the processor instead of 34. Programs that tests start inherit it; the compiled code has its own folder (main/engine/runtime/native.ts).
 */
const COMPILED_QUICKLY = {
  XLA_FLAGS: [
    '--xla_backend_optimization_level=0',
    // Fusion emitters create an MLIR context per fused operation: half of the compile time.
    '--xla_cpu_use_fusion_emitters=false',
    '--xla_cpu_parallel_codegen_split_count=1',
    // Eigen's matrix products need no preparation.
    '--xla_cpu_experimental_ynn_fusion_type=',
  ].join(' '),
};

export default defineConfig(({ mode }) => ({
  plugins: [requireTensorflowInTests(import.meta.dirname)],
  test: {
    globalSetup: 'tests/support/build.ts',
    sequence: { sequencer: LaneByLane },
    ...limits,
    // The mode itself does not reach the tests of a project (below).
    env: {
      ...(mode === 'guide' && { VERISIM_GUIDE: '1' }),
      ...(['guide', 'pictures', 'long'].includes(mode) && { VERISIM_PICTURES: '1' }),
      ...(mode === 'payloads' && { VERISIM_PAYLOADS: '1000' }),
      ...(mode === 'record' && { VERISIM_RECORD: '1' }),
    },
    projects:
      // `--mode long`: half an hour, not part of `npm test`.
      mode === 'long'
        ? [{ extends: true, test: { name: 'long', include: ['tests/**/*.long.ts'] } }]
        : Object.entries(LANES).map(([name, { shared, asShipped, ...lane }]) => ({
            extends: true as const,
            test: {
              name,
              ...filesOf(name),
              isolate: !shared,
              retry: 'waits' in lane && process.env.CI ? 1 : 0,
              ...(!asShipped && { env: COMPILED_QUICKLY }),
            },
          })),
  },
}));
