/**
 * The output folder of a single command (train, train_reward_model, train_grpo): a project of one phase.
 *
 *     run.json        the settings, the files they were read from, and the results once there are any
 *     checkpoints/    while it runs
 *     model/          the finished model
 *     data/           the prepared text
 *     metrics.jsonl   one line per log step
 *     samples.jsonl   what it wrote at each evaluation, of `train`
 *     tensorboard/    the same as event files, when asked for
 *     circumstances.json  the environment record: with which versions and on which hardware it was worked on
 */
import { localized } from '../../../shared/messages/message.js';
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ignoredNotice } from '../../../shared/config/removed-settings.js';
import { UserError } from '../../../shared/errors.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import type { CheckpointSlot } from '../../engine/types.js';
import { ensureFolder } from '../../storage/disk/atomic.js';
import { acquireLock } from '../../storage/disk/lock.js';
import type { JobContext, Results } from '../types.js';
import { openRunRecord, type RunIdentity, type RunRecord } from './run-record.js';
import { openRunStore, type RunFiles } from './run-store.js';

interface RunOptions extends RunIdentity {
  readonly phase: PhaseName;
  readonly overwrite: boolean;
  readonly context: JobContext;
}

export interface RunFolder {
  readonly modelFolder: string;
  readonly dataFolder: string;
  /** What the finished run came to; null while there is something to do. */
  readonly finished: Results | null;
  readonly slot: CheckpointSlot;
  /** The job's context, with metrics kept in metrics.jsonl as well. */
  readonly context: JobContext;
  /** Records the results: the run is over, its checkpoints go. */
  finish(results: Results): void;
  close(): void;
}

const ours = [
  'run.json',
  'checkpoints',
  'model',
  'data',
  'metrics.jsonl',
  'samples.jsonl',
  'circumstances.json',
  'tensorboard',
];

/** @throws UserError `exists` when the folder holds another run, or what this one reads; `locked`, `file_not_writable` */
export function openRunFolder(folder: string, options: RunOptions): RunFolder {
  const runFile = join(folder, 'run.json');
  const isNew = !existsSync(folder);
  ensureFolder(folder);
  const lock = acquireLock(folder, `verisim ${options.command}`);
  const leave = () => {
    lock.release();
    if (isNew && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
  };
  try {
    // What is not a run of ours is never deleted, whatever was asked.
    if (!existsSync(runFile)) mustBeFree(folder);
    else if (options.overwrite) {
      mustNotBeRead(folder, options.inputs);
      clear(folder);
    }
    const record = openRunRecord(runFile, options);
    const notice = ignoredNotice(record.ignored, 'run.json');
    if (notice) options.context.emit(notice);
    if (record.results !== null) {
      const message = `${folder} holds the result of this very run; --overwrite begins again.`;
      options.context.emit({ event: 'notice', level: 'info', code: 'finished_already', message });
    }
    return openedFolder(folder, options, record, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

function openedFolder(folder: string, { phase, context }: RunOptions, record: RunRecord, leave: () => void): RunFolder {
  const { settings } = record;
  const [metrics, samples, progress] = ['metrics.jsonl', 'samples.jsonl', 'checkpoints'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const files: RunFiles = {
    events: null,
    tensorboard: settings['tensorboard'] === true ? join(folder, 'tensorboard') : null,
    environment: join(folder, 'circumstances.json'),
    samplesOf: () => samples,
    metricsOf: ({ phase: run }) => ({ file: metrics, run }),
  };
  const threads = typeof settings['threads'] === 'number' ? settings['threads'] : null;
  const store = openRunStore(files, { configuration: settings, threads }, context);
  const stored = store.stored(progress);
  let done = record.results !== null;
  return {
    modelFolder: join(folder, 'model'),
    dataFolder: join(folder, 'data'),
    finished: record.results,
    slot: store.slot({
      phase,
      progress,
      metrics,
      completions: null,
      samples: phase === 'base_training' ? samples : null,
    }),
    context: store.context,
    finish(results) {
      store.log.sync(metrics, samples);
      record.finish(results);
      done = true;
      stored.clear();
    },
    close() {
      // The lock goes whatever becomes of the rest: nobody else would give it up while this process runs.
      try {
        store.log.close();
        // A run that failed before its first checkpoint leaves nothing behind.
        if (!done && stored.steps().length === 0) clear(folder);
      } finally {
        leave();
      }
    },
  };
}

function clear(folder: string): void {
  for (const name of ours) rmSync(join(folder, name), { recursive: true, force: true });
}

/** What a run begins from is not deleted to make room for it. */
function mustNotBeRead(folder: string, inputs: readonly string[]): void {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : '');
  const places = ours.map((name) => real(join(folder, name))).filter((place) => place !== '');
  const read = inputs.find((input) => places.some((place) => `${real(input)}${sep}`.startsWith(place + sep)));
  if (read === undefined) return;
  throw new UserError({
    code: 'exists',
    message: localized('run.reads_from_output', { folder, read }),
    hint: localized('run.overwrite_would_delete'),
    field: 'out_dir',
  });
}

function mustBeFree(folder: string): void {
  const others = readdirSync(folder).filter((name) => ours.includes(name));
  if (others.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: localized('run.other_files', { folder, others: others.join(', ') }),
    hint: localized('run.move_away'),
  });
}
