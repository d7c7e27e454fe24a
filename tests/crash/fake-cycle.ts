/**
 * A cycle without an engine: the same calls of the store, in the same order, as main/engine/cycle/cycle.ts makes, with weights
 * that are a number. It shows what storage makes of faults thousands of times in the time that one real cycle takes.
 */
import { verbatim } from '../../shared/messages/message.js';
import { createProjectStore, type LoggingStore } from '../../main/jobs/project/project-store.js';
import type { OpenedProject } from '../../main/jobs/project/project.js';
import type { JobContext } from '../../main/jobs/types.js';
import { tokensInMemory } from '../../main/engine/train/dataset.js';
import type { Settled } from '../../main/engine/reward/reward-data.js';
import { createCharTokenizer } from '../../main/engine/tokenizer/index.js';
import { stopped } from '../../main/engine/train/phase.js';
import type { Checkpoint } from '../../main/engine/types.js';
import { kindAt } from '../../main/storage/disk/file-operations.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import { createProject, openProject, openProjectForWriting } from '../../main/storage/projects/project-folder.js';
import { modelConfigSchema, type ProjectConfig, projectConfigSchema } from '../../shared/config/index.js';
import type { JobEvent, PhaseName } from '../../shared/phases/events.js';

/** Steps of training; a checkpoint every second one. Base training replaces one; the later phases save in the same way, once. */
const STEPS: Readonly<Partial<Record<PhaseName, number>>> = { base_training: 4 };
const LATER_STEPS = 2;
const SAMPLES = 6;
const BLOCK = 2;

export const fakeConfig = projectConfigSchema.parse({
  ...{ n_layer: 1, n_head: 1, n_embd: 2, block_size: BLOCK, vocab_size: 4, data_path: '/text.txt', threads: 1 },
  max_cycles: 1,
});
const config = modelConfigSchema.parse({ n_layer: 1, n_head: 1, n_embd: 2, block_size: BLOCK, vocab_size: 4 });

/** Weights after `step` steps of a phase: another number for each, so that no mixture goes unseen. */
const weightsOf = (name: string, step: number) => ({
  w: { shape: [2], data: Float32Array.of(step + 0.5, name.length + Number(name.at(-1))) },
});

export interface FakeRun {
  /** Does one step; `done` when the project is finished. */
  next(): Promise<IteratorResult<void>>;
  readonly stop: { requested: boolean };
  readonly events: readonly JobEvent[];
  readonly store: LoggingStore;
  /** Ends it as a job does: the files closed, the lock given up. */
  close(): void;
}

/** Opens the project, making it first if need be, with `changes`. @throws UserError as a job would */
export function openFakeRun(folder: string, changes: Partial<ProjectConfig> = {}): FakeRun {
  if (kindAt(projectPaths(folder).config) === 'none')
    createProject(folder, { ...fakeConfig, ...changes }, { name: 'fake', verisim_version: '1' });
  const project = openProjectForWriting(folder, 'fake run');
  const tokens = tokensInMemory([0, 1, 2, 3, 0, 1, 2, 3]);
  const tokenizer = createCharTokenizer(['a', 'b', 'c', 'd']);
  const tokenization = { method: 'char' as const, vocab_size: 4, chars: ['a', 'b', 'c', 'd'] };
  const text = { train: tokens, val: tokens, tokenizer, tokenization, metaPath: null, close: () => undefined };
  const opened: OpenedProject = { project, config: project.config, text, close: () => undefined };
  const events: JobEvent[] = [];
  const stop = { requested: false };
  const context: JobContext = {
    emit: (event) => events.push(event),
    now: () => 0,
    stop,
    yieldToEventLoop: async () => undefined,
    runtime: async () => ({
      kind: 'wasm',
      version: 'fake',
      device: 'cpu',
      precision: 'f32',
      notice: null,
      createSession() {
        throw new Error('there is no engine here');
      },
    }),
  };
  let store: LoggingStore;
  try {
    store = createProjectStore(opened, context);
  } catch (error) {
    project.lock.release();
    throw error;
  }
  const steps = fakeCycle(store, stop);
  return {
    next: () => steps.next(),
    stop,
    events,
    store,
    close() {
      try {
        store.close();
      } finally {
        project.lock.release();
      }
    },
  };
}

async function* fakeCycle(store: LoggingStore, stop: { readonly requested: boolean }): AsyncGenerator<void, void> {
  const { emit } = store.context;
  async function* train(name: string, phase: PhaseName, cycle: number): AsyncGenerator<void, void> {
    emit({ event: 'phase', phase, state: 'started', cycle, name, message: verbatim('started') });
    const slot = store.slot(name);
    const steps = STEPS[phase] ?? LATER_STEPS;
    const saved: Checkpoint | null = await slot.latest();
    let step = Number(saved?.state['step'] ?? 0);
    if (saved && saved.weights['w']?.data[0] !== step + 0.5)
      throw new Error(`a mixture: ${JSON.stringify(saved.state)}`);
    const save = () =>
      slot.save({ weights: weightsOf(name, step), optimizer: weightsOf('m1', step), state: { step } }, step);
    while (step < steps) {
      if (stop.requested) {
        await save();
        throw stopped(step);
      }
      step += 1;
      emit({ event: 'metrics', phase, cycle, step, values: { loss: 1 / step } });
      if (step % 2 === 0) await save();
      yield;
    }
    await store.saveModel(name, { model: config, weights: weightsOf(name, steps) }, { steps });
    emit({ event: 'phase', phase, state: 'finished', cycle, name, message: verbatim('finished') });
  }
  const report = (cycle: number, name: string) =>
    store.saveReport({
      ...{ cycle, name, val_loss: 1, perplexity: Math.E, base: null, reward_samples: null, reward_model: null },
      ...{ reward_models: {}, critic: null, judgement: null },
      ...{ grpo: null, samples: [{ prompt: 'a', completion: 'b' }] },
    });

  if ((await store.loadReport(0)) === null) {
    yield* train('base_model_v1', 'base_training', 0);
    await report(0, 'base_model_v1');
  }
  if ((await store.loadReport(1)) !== null) return;
  store.beginCycle?.(1);
  const generator = await store.loadModel('base_model_v1');
  if (!generator) throw new Error('base_model_v1 is missing');
  const existing = await store.openRewardData('reward_data_v1');
  if (existing === null) {
    const sink = await store.createRewardData('reward_data_v1', generator, 1);
    try {
      for (const split of ['train', 'val'] as const) {
        let { planned, skipped }: Settled = sink.settled[split];
        while (planned < SAMPLES) {
          if (stop.requested) throw stopped(planned);
          planned += 2;
          const settled = { planned, skipped };
          await sink.append(split, Uint16Array.of(0, planned % 4, 1, 2), Float32Array.of(0.5, 0.5, 0.5, 0.5), settled);
          skipped = settled.skipped;
          yield;
        }
      }
      await sink.finish();
    } finally {
      await sink.close();
    }
  }
  yield* train('reward_model_v1', 'reward_model', 1);
  await store.savePredictions?.(1, Float32Array.of(0.1, 0.9, 0.5));
  yield* train('base_model_v2', 'grpo', 1);
  await report(1, 'base_model_v2');
}

/** From where it is to its end. */
export async function runToEnd(folder: string): Promise<void> {
  const run = openFakeRun(folder);
  try {
    while (!(await run.next()).done);
  } finally {
    run.close();
  }
  openProject(folder);
}
