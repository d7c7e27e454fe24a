/**
 * A job's context for tests: events kept, and a way to stop at a chosen event. Jobs run on TensorFlow without XLA: models as
 * small as these never earn a compilation back, and WASM takes several times as long.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectCommand } from '../../shared/config/commands.js';
import { projectCommandShape } from '../../shared/config/commands.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { z } from 'zod';
import type { Runtime } from '../../main/engine/runtime/types.js';
import type { JobContext } from '../../main/jobs/types.js';
import { runtimeWithoutXla } from '../support/engine.js';
import { plainRuntime, wasmRuntime } from '../support/runtime.js';

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'verisim-jobs-'));

const runtimes = { tensorflow: runtimeWithoutXla, wasm: wasmRuntime, plain: plainRuntime };
const loaded: Partial<Record<keyof typeof runtimes, Promise<Runtime>>> = {};

/**
 * @param stopAt requests the job to stop when it returns true
 * @param kind `wasm` for bytes that a trainer without TensorFlow has to reach; `plain` for folders of earlier versions; a
 *   process can use only one of them
 */
export function testContext(
  stopAt: (event: JobEvent) => boolean = () => false,
  kind: keyof typeof runtimes = 'tensorflow',
): {
  readonly context: JobContext;
  readonly events: readonly JobEvent[];
} {
  const events: JobEvent[] = [];
  const stop = { requested: false };
  const context: JobContext = {
    emit(event) {
      events.push(event);
      if (stopAt(event)) stop.requested = true;
    },
    now: () => Date.now(),
    stop,
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    runtime: () => (loaded[kind] ??= runtimes[kind]()),
  };
  return { context, events };
}

/** The settings of a project, as the command line would make them. */
export function projectSettings(given: Readonly<Record<string, unknown>>): ProjectCommand {
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return z.object(projectCommandShape).parse(resolved.value);
}

/** A request for a project of these settings. */
export const projectRequest = (folder: string, given: Readonly<Record<string, unknown>>) => ({
  folder,
  settings: projectSettings({ project: folder, ...given }),
  given,
});

/** Settings of a project whose text is all that matters; its models are never trained. */
export const untrained = {
  ...{ tokenization: 'char', preset: 'none', threads: 1 },
  ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 32, max_iters: 1 },
};

/** Settings of a project with one cycle that takes a moment. */
export const quick = {
  ...{ tokenization: 'char', preset: 'none', threads: 1 },
  ...{ n_layer: 1, n_head: 2, n_embd: 16, block_size: 8, batch_size: 4, max_iters: 20, eval_interval: 10 },
  ...{ samples_per_chunk: 1, reward_train_samples: 32, reward_val_samples: 16, reward_max_iters: 20 },
  ...{ reward_learning_rate: 0.003, max_cycles: 1 },
  ...{ group_size: 4, prompts_per_step: 2, grpo_max_steps: 6, grpo_eval_prompts: 8 },
  ...{ grpo_learning_rate: 0.001, kl_cap: 100 },
};
