/**
 * The output folder of a single command (train, train_reward_model, train_grpo): run.json says what it is a run of, so
 * that the same command goes on where it stopped and another one cannot mix with it.
 *
 *     run.json        the settings, the files they were read from, and the results once there are any
 *     checkpoints/    while it runs
 *     model/          the finished model
 *     data/           the prepared text
 *     metrics.jsonl   one line per log step
 *     tensorboard/    the same as event files, when asked for
 *     circumstances.json  under which versions and on which hardware it was worked on
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import packageFile from '../../package.json' with { type: 'json' };
import { UserError } from '../../shared/errors.js';
import { typedValue } from '../../shared/config/fields.js';
import type { JobEvent } from '../../shared/events.js';
import { parseBoundedJson } from '../engine/bounded-json.js';
import { stableJson } from '../engine/stable-json.js';
import type { CheckpointSlot, Json } from '../engine/types.js';
import { ensureFolder, writeFileAtomic } from '../storage/atomic.js';
import { createCheckpointSlot } from '../storage/checkpoint-store.js';
import { circumstancesNow, noteCircumstances } from '../storage/circumstances.js';
import { readText } from '../storage/file-bytes.js';
import { cutBack, type JsonLinesWriter, openJsonLines } from '../storage/json-lines.js';
import { acquireLock } from '../storage/lock.js';
import { createTensorboard } from '../storage/tensorboard.js';
import { loggedProgress, type PhaseLog } from './logged-progress.js';
import { notExact } from './not-exact.js';
import { createSavingPace, SAVING_SHARE } from './saving-pace.js';
import type { JobContext, Results } from './types.js';

const runSchema = z.object({
  format_version: z.literal(1),
  command: z.string(),
  settings: z.record(z.string(), z.json()),
  /** Size and time of each file that was read: a changed input is another run. */
  inputs: z.record(z.string(), z.string()),
  results: z.record(z.string(), z.json()).nullable(),
});
type Run = z.infer<typeof runSchema>;

export interface RunOptions {
  readonly command: string;
  readonly settings: Readonly<Record<string, Json | undefined>>;
  readonly inputs: readonly string[];
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

/** What may differ between two runs of the same command that are still the same run. */
const circumstances = new Set(['out_dir', 'overwrite', 'device', 'threads', 'preset', 'tensorboard']);
const ours = ['run.json', 'checkpoints', 'model', 'data', 'metrics.jsonl', 'circumstances.json', 'tensorboard'];

/** @throws UserError `exists` when the folder holds another run; `locked`, `file_not_writable` */
export function openRunFolder(folder: string, options: RunOptions): RunFolder {
  const { command, overwrite } = options;
  const runFile = join(folder, 'run.json');
  const settings = plain(options.settings);
  const inputs = Object.fromEntries(options.inputs.map((path) => [path, stampOf(path)]));
  const isNew = !existsSync(folder);
  ensureFolder(folder);
  const lock = acquireLock(folder, `verisim ${command}`);
  const clear = () => {
    for (const name of ours) rmSync(join(folder, name), { recursive: true, force: true });
  };
  const leave = () => {
    lock.release();
    if (isNew && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
  };
  try {
    // What is not a run of ours is never deleted, whatever was asked.
    if (!existsSync(runFile)) mustBeFree(folder);
    else if (overwrite) clear();
    const there = readRun(runFile);
    if (there) mustBeSame(folder, there, { command, settings, inputs });
    const run: Run = there ?? { format_version: 1, command, settings, inputs, results: null };
    const write = (value: Run) => writeFileAtomic(runFile, `${stableJson(value as unknown as Json, 2)}\n`);
    if (!there) write(run);
    if (run.results !== null) {
      const message = `${folder} holds the result of this very run; --overwrite begins again.`;
      options.context.emit({ event: 'notice', level: 'info', code: 'finished_already', message });
    }

    const notice = (message: string) =>
      options.context.emit({ event: 'notice', level: 'warning', code: 'checkpoint', message });
    const slot = createCheckpointSlot(join(folder, 'checkpoints'), { onNotice: notice });
    const metricsFile = join(folder, 'metrics.jsonl');
    let done = run.results !== null;
    let metrics: JsonLinesWriter | null = null;
    const tensorboard = settings['tensorboard'] === true ? createTensorboard(join(folder, 'tensorboard')) : null;
    const emit = (event: JobEvent) => {
      if (event.event === 'metrics') {
        // Opened late: by now the slot's latest checkpoint has been read, and its step is known.
        metrics ??= openJsonLines(metricsFile);
        metrics.append(event);
        tensorboard?.append(event.phase, event.step, event.values, options.context.now());
      }
      options.context.emit(event);
    };
    const log: PhaseLog = {
      settle() {
        metrics ??= openJsonLines(metricsFile);
        metrics.sync();
        return metrics.byteLength;
      },
      cut(step, bytes) {
        metrics?.close();
        metrics = null;
        cutBack(metricsFile, bytes ?? { keep: (row) => Number((row as { step?: unknown }).step) <= step });
      },
    };
    let opened: Promise<CheckpointSlot> | null = null;
    const open = async () => {
      const { now } = options.context;
      const threads = typeof settings['threads'] === 'number' ? settings['threads'] : null;
      const here = circumstancesNow(packageFile.version, await options.context.runtime(), threads);
      const changes = noteCircumstances(join(folder, 'circumstances.json'), here, new Date(now()).toISOString());
      if (changes.length > 0) options.context.emit(notExact(changes));
      return loggedProgress({ slot, log, made: { ...here, configuration: settings }, onNotice: notice });
    };
    const progress = () => (opened ??= open());
    const pace = createSavingPace(options.context.savingShare ?? SAVING_SHARE);
    return {
      modelFolder: join(folder, 'model'),
      dataFolder: join(folder, 'data'),
      finished: run.results,
      slot: {
        latest: async () => (await progress()).latest(),
        save: (checkpoint, step) => pace.saved(async () => (await progress()).save(checkpoint, step)),
        due: () => pace.due(),
      },
      context: { ...options.context, stop: options.context.stop, emit },
      finish(results) {
        metrics?.sync();
        write({ ...run, results: plain(results) });
        done = true;
        slot.clear();
      },
      close() {
        metrics?.close();
        tensorboard?.close();
        // A run that failed before its first checkpoint leaves nothing behind.
        if (!done && slot.steps().length === 0) clear();
        leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Without undefined values, and as JSON has them. */
const plain = (values: object): Record<string, z.core.util.JSONType> =>
  JSON.parse(JSON.stringify(values)) as Record<string, z.core.util.JSONType>;

function readRun(file: string): Run | null {
  if (!existsSync(file)) return null;
  const parsed = runSchema.safeParse(parseJson(readText(file)));
  if (parsed.success) return parsed.data;
  throw new UserError({
    code: 'file_damaged',
    message: `${file} is not a run of this Verisim`,
    hint: 'Give another folder, or begin again with --overwrite.',
  });
}

function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return null;
  }
}

function mustBeFree(folder: string): void {
  const others = readdirSync(folder).filter((name) => ours.includes(name));
  if (others.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: `${folder} holds ${others.join(', ')}, but not as a run of Verisim`,
    hint: 'Give another folder, or move these away first.',
  });
}

function mustBeSame(folder: string, there: Run, here: Pick<Run, 'command' | 'settings' | 'inputs'>): void {
  const differences: string[] = [];
  if (there.command !== here.command) differences.push(`it is a run of ${there.command}`);
  else {
    for (const key of new Set([...Object.keys(there.settings), ...Object.keys(here.settings)])) {
      if (circumstances.has(key)) continue;
      const [old, now] = [there.settings[key], here.settings[key]];
      if (JSON.stringify(old) !== JSON.stringify(now)) {
        differences.push(`${key} is ${typedValue(old)} there, ${typedValue(now)} now`);
      }
    }
    for (const [path, stamp] of Object.entries(here.inputs)) {
      if (there.inputs[path] !== undefined && there.inputs[path] !== stamp)
        differences.push(`${path} has changed since`);
    }
  }
  if (differences.length === 0) return;
  throw new UserError({
    code: 'exists',
    message: `${folder} holds another run: ${differences.join('; ')}`,
    hint: 'Give another folder, begin again with --overwrite, or use the settings of that run to go on with it.',
  });
}

/** Size and time of a file, or of the files in a folder. */
function stampOf(path: string): string {
  const stats = statSync(path);
  if (!stats.isDirectory()) return `${stats.size} bytes, ${Math.round(stats.mtimeMs)}`;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${name}: ${stampOf(join(path, name))}`)
    .sort()
    .join('; ');
}
