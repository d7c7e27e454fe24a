/** Small projects for tests of the supervisor, and the real, built trainer to run them without TensorFlow. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newProjectJob } from '../../main/jobs/project/cycle.js';
import { createSupervisor, type SupervisorOptions } from '../../main/supervisor/index.js';
import { nodeTrainer, type StartTrainer } from '../../main/supervisor/trainer-process.js';
import type { Supervisor, SupervisorEvent } from '../../main/supervisor/types.js';
import type { RunEvent } from '../../shared/phases/events.js';
import { afterAll, vi } from 'vitest';
import { projectSettings, temporaryFolder, testContext } from '../jobs/context.js';
import { writeLongWords } from '../support/long-words.js';

export const program = resolve(import.meta.dirname, '../../dist/trainer.js');

/** At the top of a file of tests. Nothing to compile and the same bytes in every process: what is tested is around the engine. */
export function withoutTensorflow(): void {
  vi.stubEnv('VERISIM_TENSORFLOW', 'none');
  afterAll(() => void vi.unstubAllEnvs());
}

let home = '';
let text: ReturnType<typeof writeLongWords>;
/** At the top of a file of tests, so that it is removed last, after whatever still runs there was closed: where its projects lie. */
export function projectsHome(): string {
  const folder = (home = temporaryFolder());
  text = writeLongWords(home);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const given = {
  ...{ preset: 'none', threads: 1, log_interval: 1, eval_iters: 2 },
  ...{ n_layer: 1, n_head: 2, n_embd: 8, block_size: 8, batch_size: 2, max_iters: 30, eval_interval: 10 },
  ...{ samples_per_chunk: 1, reward_train_samples: 16, reward_val_samples: 8, reward_max_iters: 10 },
  ...{ reward_learning_rate: 0.003, max_cycles: 1 },
  ...{ group_size: 4, prompts_per_step: 2, grpo_max_steps: 4, grpo_eval_prompts: 4 },
  ...{ grpo_learning_rate: 0.001, kl_cap: 100, patience: 100 },
};

export async function newProject(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const folder = join(home, name);
  const all = { ...text, ...given, ...more };
  await newProjectJob(
    { folder, settings: projectSettings({ project: folder, ...all }), given: all },
    testContext(undefined, 'wasm').context,
  );
  return folder;
}

/** Everything of a finished project that must come out the same: weights byte for byte, reward data, metrics without times. */
export function outcome(folder: string): Record<string, string> {
  const result: Record<string, string> = {};
  const checkpoints = join(folder, 'checkpoints');
  for (const name of readdirSync(checkpoints).filter((entry) => !entry.endsWith('.progress'))) {
    result[name] = readFileSync(join(checkpoints, name, 'weights.safetensors')).toString('base64');
  }
  for (const cycle of readdirSync(join(folder, 'cycles'))) {
    const inside = join(folder, 'cycles', cycle);
    const metrics = readFileSync(join(inside, 'metrics.jsonl'), 'utf8');
    result[`${cycle} metrics`] = metrics.replaceAll(
      /"at":"[^"]+",|,?"(seconds_\w+|tokens_per_second|mfu)":[-0-9.e]+/g,
      '',
    );
    result[`${cycle} samples`] = readFileSync(join(inside, 'samples.jsonl'), 'utf8');
    if (cycle !== '00')
      result[`${cycle} reward`] = readFileSync(join(inside, 'reward_data/train_x.bin')).toString('hex');
  }
  return result;
}

export interface Watched {
  readonly supervisor: Supervisor;
  /** Process ids of the trainers that were started, oldest first. */
  readonly pids: readonly number[];
  readonly events: readonly SupervisorEvent[];
  /** Resolves with the first event, from now on or from the beginning, that answers yes. */
  until<T extends SupervisorEvent>(is: (event: SupervisorEvent) => event is T): Promise<T>;
  untilTold(is: (event: RunEvent) => boolean): Promise<void>;
  ended(folder: string): Promise<Extract<SupervisorEvent, { type: 'ended' }>>;
}

let made = 0;

export function watched(options: Partial<SupervisorOptions> = {}, start: StartTrainer = nodeTrainer(program)): Watched {
  const pids: number[] = [];
  const events: SupervisorEvent[] = [];
  const waiting = new Set<() => void>();
  const supervisor = createSupervisor({
    queueFile: join(home, `queue-${(made += 1)}.json`),
    beat: 100,
    start() {
      const trainer = start();
      if (trainer.pid !== undefined) pids.push(trainer.pid);
      return trainer;
    },
    ...options,
  });
  supervisor.subscribe((event) => {
    events.push(event);
    waiting.forEach((look) => look());
  });
  const until = <T extends SupervisorEvent>(is: (event: SupervisorEvent) => event is T, from = 0) =>
    new Promise<T>((done) => {
      const look = () => {
        const found = events.slice(from).find(is);
        if (!found) return;
        waiting.delete(look);
        done(found);
      };
      waiting.add(look);
      look();
    });
  return {
    ...{ supervisor, pids, events, until },
    untilTold: async (is) =>
      void (await until((event): event is SupervisorEvent => event.type === 'event' && is(event.event), events.length)),
    ended: (folder) =>
      until(
        (event): event is Extract<SupervisorEvent, { type: 'ended' }> =>
          event.type === 'ended' && event.folder === folder,
        events.length,
      ),
  };
}

/** A step of a phase was taken. */
export const stepped =
  (phase: string, step: number) =>
  (event: RunEvent): boolean =>
    event.event === 'rows' && event.phase === phase && event.step >= step;

export const codes = (events: readonly SupervisorEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'event' && event.event.event === 'notice' ? [event.event.code] : []));
