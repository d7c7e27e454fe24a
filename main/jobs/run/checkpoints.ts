/**
 * The checkpoints of a run's phases. Each knows how long the log of its phase was: on resume the log is cut back to that
 * length, so that it ends as if nothing had happened. Each also says with which configuration and in which environment
 * it was made, for whoever looks into it.
 */
import { z } from 'zod';
import { toFault } from '../../../shared/errors.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import type { Message } from '../../../shared/messages/message.js';
import { typed } from '../../../shared/sentence.js';
import type { Checkpoint, CheckpointSlot, Json } from '../../engine/types.js';
import { isDamage } from '../../../shared/file-errors.js';
import type { RowsToKeep } from '../../storage/disk/json-lines.js';
import { createCheckpointSlot, type StoredCheckpointSlot } from '../../storage/projects/checkpoint-store.js';
import type { RunLog } from './run-log.js';

/** Where a phase keeps what it is at. */
export interface PhaseFiles {
  readonly phase: PhaseName;
  /** The folder of its checkpoints. */
  readonly progress: string;
  /** Rows of metrics, which phases may share. */
  readonly metrics: string;
  /** Completions, which are this phase's alone; null when it keeps none. */
  readonly completions: string | null;
  /** What it writes at its evaluations, which phases may share; null when it writes nothing. */
  readonly samples: string | null;
}

interface CheckpointsOptions {
  /** Of the time that saving may take when nobody has asked for it. */
  readonly savingShare: number | undefined;
  /** What is kept with every checkpoint; asked before anything of a phase is read or saved. */
  made(): Promise<Readonly<Record<string, Json>>>;
  /** Told, in words, when something had to be stepped over. */
  onNotice(message: string | Message): void;
}

export function createCheckpoints(log: RunLog, { savingShare, made, onNotice }: CheckpointsOptions) {
  const pace = createSavingPace(savingShare ?? SAVING_SHARE);
  const open = new Map<string, StoredCheckpointSlot>();
  const stored = (progress: string) => {
    const slot = open.get(progress) ?? createCheckpointSlot(progress, { onNotice });
    open.set(progress, slot);
    return slot;
  };

  const latest = async (files: PhaseFiles): Promise<Checkpoint | null> => {
    await made();
    const checkpoint = await stored(files.progress).latest();
    if (checkpoint === null) {
      cutRows(log, files, 0, null);
      cutSamples(log, files, 0, null);
      return null;
    }
    const { made: before, ...state } = checkpoint.state;
    const { data: noted } = madeSchema.safeParse(before); // a Verisim that did not note lengths made it, when this fails
    try {
      const step = Number(state['step'] ?? 0);
      cutRows(log, files, step, noted?.log_bytes ?? null);
      cutSamples(log, files, step, noted?.samples_bytes ?? null);
    } catch (error) {
      // A log that lost rows is no reason not to train on.
      if (!isDamage(error)) throw error;
      onNotice(`Rows of the metrics are lost: ${typed(toFault(error).message)}. Training resumes from its checkpoint.`);
    }
    return { ...checkpoint, state };
  };
  const save = async (files: PhaseFiles, checkpoint: Checkpoint, step: number): Promise<void> => {
    const facts = await made();
    const { metrics, completions, samples } = files;
    log.sync(metrics, ...[completions, samples].filter((file) => file !== null));
    const lengths = {
      log_bytes: log.byteLength(metrics),
      ...(samples !== null && { samples_bytes: log.byteLength(samples) }),
    };
    const state = { ...checkpoint.state, made: { ...facts, ...lengths } };
    await stored(files.progress).save({ ...checkpoint, state }, step);
  };
  return {
    /** The checkpoints in a folder, for those who clear them away. */
    stored,
    /** Where a phase resumes from, and saves. */
    slot: (files: PhaseFiles): CheckpointSlot => ({
      latest: () => latest(files),
      due: () => pace.due(),
      save: (checkpoint, step) => pace.saved(() => save(files, checkpoint, step)),
    }),
  };
}

const madeSchema = z.looseObject({ log_bytes: z.int().min(0), samples_bytes: z.int().min(0).optional() });

interface LoggedRow {
  readonly phase?: string;
  readonly step?: number;
}

/**
 * Removes what a phase has logged after its checkpoint of `step`. What a later phase has logged since stays: this phase
 * was over then.
 * @param bytes the metrics' length that the checkpoint notes; null when it notes none
 * @throws UserError `file_damaged` when the log is shorter
 */
function cutRows(log: RunLog, files: PhaseFiles, step: number, bytes: number | null): void {
  const { phase, metrics, completions } = files;
  const isEarlier = (row: unknown) => ((row as LoggedRow).step ?? 0) <= step;
  const isOthers = (row: unknown) => (row as LoggedRow).phase !== phase;
  if (completions !== null) log.cut(completions, { keep: isEarlier });
  log.cut(metrics, kept(bytes, isOthers, isEarlier));
}

/** The same for samples; those before the first step are of no checkpoint. */
function cutSamples(log: RunLog, { phase, samples }: PhaseFiles, step: number, bytes: number | null): void {
  if (samples === null) return;
  const isOthers = (row: unknown) => (row as LoggedRow).phase !== phase;
  const isEarlier = (row: unknown) => step > 0 && ((row as LoggedRow).step ?? 0) <= step;
  log.cut(samples, kept(bytes, isOthers, isEarlier));
}

type Is = (row: unknown) => boolean;

const kept = (bytes: number | null, isOthers: Is, isEarlier: Is): RowsToKeep =>
  bytes === null ? { keep: (row) => isOthers(row) || isEarlier(row) } : { after: bytes, keep: isOthers };

/** Of the time, by default. */
const SAVING_SHARE = 0.03;

interface SavingPace {
  /** Whether a checkpoint may be saved now; what is done from here until `saved` returns counts as saving. */
  due(): boolean;
  /** Saves, and takes the time. */
  saved(save: () => Promise<void>): Promise<void>;
}

/**
 * How often checkpoints are saved that nobody has asked for: so that saving takes at most a given share of the time,
 * however small the steps and large the model. What a crash can cost is then a few dozen times what saving takes. It has
 * no influence on results: a run that resumes from an earlier checkpoint comes by the same states.
 * @param share of the time that saving may take, above 0; 1 for always
 * @param now milliseconds of a clock that does not jump
 */
export function createSavingPace(share: number, now: () => number = () => performance.now()): SavingPace {
  let began: number | null = null;
  let ended = -Infinity;
  let took = 0;
  return {
    due() {
      if (now() - ended < took * (1 / share - 1)) return false;
      began = now();
      return true;
    },
    async saved(save) {
      const start = began ?? now();
      began = null;
      await save();
      ended = now();
      took = ended - start;
    },
  };
}
