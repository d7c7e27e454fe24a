// How the tests run: real TensorFlow in every file, so few workers and long limits.
import { defineConfig } from 'vitest/config';
import { requireTensorflowInTests } from './scripts/setup/require-tensorflow.mjs';
import { SlowFilesFirst } from './tests/support/slow-files-first.js';

export const limits = {
  // TensorFlow uses every core by itself, and a process that has loaded it cannot unload it: one fork per file.
  pool: 'forks',
  // One more than the cores of the smallest machine: windows, trainers and timers are waited for. With three, two cores are
  // busy some nine tenths of the time; with five the suite took longer, and more of the processor.
  maxWorkers: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The machine may have other things to do: what is waited for is a state, not a time.
  expect: { poll: { timeout: 30_000, interval: 50 } },
} as const;

/** @param names below tests/, apart by blanks */
const inTests = (names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `tests/${name.replace(/\*\*$/, '**/*')}.test.ts`);

/**
 * How XLA compiles what tests run: as fast as it can, not into what is fastest. Where nothing is compiled yet, that is most of a
 * small run: of a project of one cycle with every reward model 34 seconds of the processor become 9, and of those only two are
 * compiling. Programs that tests start inherit it; what is compiled so lies in a folder of its own (main/engine/runtime/native.ts).
 */
const COMPILED_QUICKLY = {
  XLA_FLAGS: [
    '--xla_backend_optimization_level=0',
    // For each fused operation they make a world of MLIR anew: half of it all.
    '--xla_cpu_use_fusion_emitters=false',
    '--xla_cpu_parallel_codegen_split_count=1',
    // Products by Eigen, which has nothing to prepare.
    '--xla_cpu_experimental_ynn_fusion_type=',
  ].join(' '),
};

/**
 * Files for which XLA compiles as it does for people: what measures time or memory, compares every operation, or learns for
 * long. Of the files whose programs train together, what is compared most closely is: the first test of cluster/train.
 */
const AS_SHIPPED = inTests(`
  cli/compiled-cache engine/runtime/{determinism,overhead,precision} engine/train/throughput
  jobs/machine/matrix-product shared/costs/memory`);

/**
 * Files that share a process with those of their kind, as most of what they take is starting and loading: half a second of
 * the processor a file. Not here: what changes its process or its environment, measures it, or compares the bytes of
 * several runtimes.
 */
const SHARED = {
  /** With TensorFlow, in f32. */
  tensorflow: inTests(`
    engine/* engine/{cycle,generate,parallel,reward}/** shared/costs/{estimate,network,phases}`),
  /** The same, as shipped. */
  operations: inTests(`
    engine/grpo/** engine/model/!(recompute) engine/runtime/!(determinism|javascript|overhead|precision)
    engine/train/!(throughput) parity/**`),
  /** Jobs on the runtime in JavaScript, who watches over them, and who asks for them from a page. */
  jobs: inTests(`
    jobs/{commands,export,project,rating,report,run}/** jobs/{hub-models,initial-model}
    cli/foreign-models ipc/{archives,contract,models} server/server storage/hub/hub-fetch
    supervisor/!(tensorflow) trainer/**`),
  /** The built window before its demonstration, in browsers that they start. */
  pages: inTests('renderer/{copying,figures,german,keyboard,project-screen,rating,screens,wizard}'),
  /** Who starts programs and watches what they do. */
  programs: inTests(`
    cli/{config-file,corrected,legacy,preview,process,projects,rate} cluster/{meeting,train}
    installation/{lock,process-identity} scripts/{missing,model,package,runtime,start} tools/bench/process`),
  /** Without either. */
  light: inTests(`
    app/{language,sender,updates,window-place} application/**
    cli/{arguments,closing-report,commands,reference,terminal} cluster/{launch,team} docs/**
    engine/{judging,statistics,tokenizer}/** formats/** installation/download ipc/{rate,runs,session} jobs/cluster/**
    jobs/machine/{figures,memory} renderer/{built-page,strings,told}
    renderer/{components,composables,format,playground,project,series,warnings,wizard}/**
    scripts/licences server/access services/** shared/* shared/{config,client}/** storage/{disk,projects}/**
    storage/hub/initial-model-name
    storage/texts/{documents,text-files,text-input}
    storage/datasets/{binary-data,pretrained-data,load-and-split,prepare-text,reward-dataset-*,shared-tokens,token-files}
    tools/slow-files-first tools/bench/pure tools/study tools/lint/**`),
};

export default defineConfig(({ mode }) => ({
  plugins: [requireTensorflowInTests(import.meta.dirname)],
  test: {
    globalSetup: 'tests/support/build.ts',
    sequence: { sequencer: SlowFilesFirst },
    ...limits,
    // The mode itself does not reach the tests of a project (below).
    env: {
      ...(mode === 'guide' && { VERISIM_GUIDE: '1' }),
      ...(['guide', 'pictures', 'long'].includes(mode) && { VERISIM_PICTURES: '1' }),
      ...(mode === 'payloads' && { VERISIM_PAYLOADS: '1000' }),
      ...(mode === 'record' && { VERISIM_RECORD: '1' }),
    },
    projects:
      // `--mode long`: what takes half an hour, and is no part of `npm test`.
      mode === 'long'
        ? [{ extends: true, test: { name: 'long', include: ['tests/**/*.long.ts'] } }]
        : [
            {
              extends: true,
              test: {
                name: 'own',
                include: ['tests/**/*.test.ts'],
                exclude: [...AS_SHIPPED, ...Object.values(SHARED).flat()],
                env: COMPILED_QUICKLY,
              },
            },
            { extends: true, test: { name: 'shipped', include: AS_SHIPPED } },
            ...Object.entries(SHARED).map(([name, include]) => ({
              extends: true as const,
              test: { name, include, isolate: false, ...(name !== 'operations' && { env: COMPILED_QUICKLY }) },
            })),
          ],
  },
}));
