/**
 * The output folder of a single command (train, train_reward_model, train_grpo): a project of one phase.
 *
 *     run.json        the settings, the files they were read from, and the results once there are any
 *     checkpoints/    while it runs
 *     model/          the finished model
 *     data/           the prepared text
 *     metrics.jsonl   one line per log step
 *     samples.jsonl   what it wrote at each evaluation, of `train`
 *     tensorboard/    the same as event files, when requested
 *     circumstances.json  the environment record: versions and hardware
 */
import { existsSync, lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { GPTConfig } from '../../../shared/config/model.js';
import { ignoredNotice } from '../../../shared/config/removed-settings.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import type { CheckpointSlot, Json, NamedArrays } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { ensureFolder, isTemporary } from '../../storage/disk/atomic.js';
import { acquireLock } from '../../storage/disk/lock.js';
import { saveModel, type Tokenization } from '../../storage/projects/models.js';
import { sharedSlot } from '../cluster/shared-project.js';
import { notice, type JobContext, type Results } from '../types.js';
import { openRunRecord, readRunRecord, type RunIdentity, type RunRecord } from './run-record.js';
import { openRunStore, type RunFiles } from './run-store.js';

interface RunOptions extends RunIdentity {
  readonly phase: PhaseName;
  readonly overwrite: boolean;
  readonly context: JobContext;
}

export interface RunFolder {
  readonly modelFolder: string;
  readonly dataFolder: string;
  /** Results of the finished run; null while there is something to do. */
  readonly finished: Results | null;
  readonly slot: CheckpointSlot;
  /** The job's context, which also stores metrics. */
  readonly context: JobContext;
  /** Stores the results and deletes the checkpoints. */
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

/** @throws UserError `exists` if the folder holds another run, or an input of this one; `locked`, `file_not_writable` */
export function openRunFolder(folder: string, options: RunOptions): RunFolder {
  const { command, inputs, overwrite, context } = options;
  const runFile = join(folder, 'run.json');
  const isNew = !existsSync(folder);
  ensureFolder(folder);
  const lock = acquireLock(folder, `verisim ${command}`);
  const leave = () => {
    lock.release();
    if (isNew && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
  };
  try {
    // Nothing is ever deleted but what a run of this folder wrote.
    if (!existsSync(runFile))
      mustBeFree(
        folder,
        ours.filter((name) => existsSync(join(folder, name))),
      );
    else if (overwrite) {
      readRunRecord(folder);
      mustBeFree(
        folder,
        entriesOf(folder).flatMap(({ path, isWritten }) => (isWritten ? [] : [path])),
      );
      mustNotBeRead(folder, inputs);
      clear(folder);
    }
    const record = openRunRecord(runFile, options);
    const ignored = ignoredNotice(record.ignored, 'run.json');
    if (ignored) context.emit(ignored);
    if (record.results !== null)
      context.emit(notice('finished_already', localized('run.finished_already', { folder })));
    return openedFolder(folder, options, record, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

function openedFolder(folder: string, { phase, context }: RunOptions, record: RunRecord, leave: () => void): RunFolder {
  const { settings } = record;
  const at = (name: string) => join(folder, name);
  const [metrics, samples, progress] = [at('metrics.jsonl'), at('samples.jsonl'), at('checkpoints')];
  const files: RunFiles = {
    events: null,
    tensorboard: settings['tensorboard'] === true ? at('tensorboard') : null,
    environment: at('circumstances.json'),
    samplesOf: () => samples,
    metricsOf: ({ phase: run }) => ({ file: metrics, run }),
  };
  const threads = typeof settings['threads'] === 'number' ? settings['threads'] : null;
  const store = openRunStore(files, { configuration: settings, threads }, context);
  const stored = store.stored(progress);
  const written = phase === 'base_training' ? samples : null;
  let done = record.results !== null;
  return {
    modelFolder: at('model'),
    dataFolder: at('data'),
    finished: record.results,
    slot: store.slot({ phase, progress, metrics, completions: null, samples: written }),
    context: store.context,
    finish(results) {
      store.log.sync(metrics, samples);
      record.finish(results);
      done = true;
      stored.clear();
    },
    close() {
      // Release the lock whatever happens.
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

/** Names of what a run writes into its folders. */
const written =
  /^((weights|optimizer)\.safetensors|(state|manifest|tokenizer|tokenizer_config|generation_config)\.json|meta\.pkl|(train|val)\.bin|step-\d{7,}|events\.out\.tfevents\..+)$/;

/** Lists what lies where a run writes: files of the folder, and what its folders hold. */
function entriesOf(folder: string): readonly { readonly path: string; readonly isWritten: boolean }[] {
  return ours.flatMap((name) => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return stats ? [{ path: name, isWritten: true }] : [];
    const inner = readdirSync(join(folder, name));
    return inner.map((each) => ({ path: join(name, each), isWritten: written.test(each) || isTemporary(each) }));
  });
}

function clear(folder: string): void {
  for (const { path, isWritten } of entriesOf(folder))
    if (isWritten) rmSync(join(folder, path), { recursive: true, force: true });
  for (const name of ours.map((each) => join(folder, each)))
    if (existsSync(name) && readdirSync(name).length === 0) rmdirSync(name);
}

/** Refuses to delete an input of the run. */
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

function mustBeFree(folder: string, others: readonly string[]): void {
  if (others.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: localized('run.other_files', { folder, others: others.slice(0, 5).join(', ') }),
    hint: localized('run.move_away'),
  });
}

type Settings = Readonly<Record<string, Json | undefined>>;

interface PhaseCommand {
  readonly command: string;
  readonly phase: PhaseName;
  readonly config: Settings & { readonly out_dir: string; readonly overwrite: boolean; readonly seed: number };
  /** Files that are read. */
  readonly inputs: readonly string[];
}

interface Trained {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokenization: Tokenization;
  /** Stored with the model, and returned as results. */
  readonly result: object;
  /** What the model was made from: stored with it only. */
  readonly from: Results;
  /** Returned as results only. */
  readonly more?: Results;
}

interface OpenRun extends Pick<RunFolder, 'dataFolder' | 'slot' | 'context'> {
  /** Reports that training starts. */
  begin(message: Message): void;
}

/** @param train called unless the folder holds the results of this run already */
export async function runPhaseCommand(
  { command, phase, config, inputs }: PhaseCommand,
  context: JobContext,
  train: (run: OpenRun) => Promise<Trained>,
): Promise<Results> {
  const { out_dir, overwrite, seed } = config;
  const run = openRunFolder(out_dir, { command, phase, settings: config, inputs, overwrite, context });
  return closing(run, async () => {
    const { team } = context;
    // No rank trains if rank 0 has the results already.
    const finished = team ? (await team.share(team.rank === 0 ? Uint8Array.of(run.finished ? 1 : 0) : null))[0] : 0;
    if (run.finished || finished === 1) return run.finished ?? {};
    const slot = sharedSlot(run.slot, team);
    const begin = (message: Message) => context.emit({ event: 'phase', phase, state: 'started', message });
    const { model, weights, tokenization, result, from, more = {} } = await train({ ...run, slot, begin });
    const facts = plainJson(result);
    const provenance = { command, seed, ...from, ...facts };
    saveModel(run.modelFolder, { weights, config: model, tokenization, provenance });
    const results = { ...facts, ...more, out_dir, model_path: run.modelFolder };
    run.finish(results);
    return results;
  });
}

/** Uses a resource and closes it, even after an error. */
export async function closing<T extends { close(): void }, R>(
  resource: T,
  use: (resource: T) => Promise<R>,
): Promise<R> {
  try {
    return await use(resource);
  } finally {
    resource.close();
  }
}
