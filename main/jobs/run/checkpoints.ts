/**
 * Saves and resumes the checkpoints of a run's phases. Each stores the length of its phase's log, to which the log is cut
 * back on resume, and the configuration and environment in which it was made.
 */
import { z } from 'zod';
import { toFault } from '../../../shared/errors.js';
import { isDamage } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { PhaseName } from '../../../shared/phases/events.js';
import type { Checkpoint, CheckpointSlot, Json } from '../../engine/types.js';
import type { RowsToKeep } from '../../storage/disk/json-lines.js';
import { createCheckpointSlot, type StoredCheckpointSlot } from '../../storage/projects/checkpoint-store.js';
import type { NoticeText } from '../types.js';
import type { RunLog } from './run-store.js';

/** The files of a phase. */
export interface PhaseFiles {
  readonly phase: PhaseName;
  /** The folder of its checkpoints. */
  readonly progress: string;
  /** Rows of metrics; phases may share it. */
  readonly metrics: string;
  /** Completions, of this phase alone; null if it stores none. */
  readonly completions: string | null;
  /** Samples of its evaluations; phases may share it. Null if it writes none. */
  readonly samples: string | null;
}

interface CheckpointsOptions {
  /** Share of the time that unrequested checkpoints may take. */
  readonly savingShare: number | undefined;
  /** Returns the facts to store with every checkpoint; called before a phase reads or saves anything. */
  made(): Promise<Readonly<Record<string, Json>>>;
  /** Receives a message about anything that was skipped. */
  onNotice(message: NoticeText): void;
}

/** An earlier Verisim did not store lengths. */
const madeSchema = z.looseObject({ log_bytes: z.int().min(0), samples_bytes: z.int().min(0).optional() });

export function createCheckpoints(log: RunLog, { savingShare = SAVING_SHARE, made, onNotice }: CheckpointsOptions) {
  const pace = createSavingPace(savingShare);
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
      cutLogs(log, files, 0, {});
      return null;
    }
    const { made: facts, ...state } = checkpoint.state;
    try {
      cutLogs(log, files, Number(state['step'] ?? 0), madeSchema.safeParse(facts).data ?? {});
    } catch (error) {
      // Training continues even if the log has lost rows.
      if (!isDamage(error)) throw error;
      onNotice(localized('run.rows_lost', { why: toFault(error).message as Message }));
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
    /** The checkpoints in a folder, to clear them. */
    stored,
    slot: (files: PhaseFiles): CheckpointSlot => ({
      latest: () => latest(files),
      due: () => pace.due(),
      save: (checkpoint, step) => pace.saved(() => save(files, checkpoint, step)),
    }),
  };
}

/**
 * Removes what a phase has logged after its checkpoint of `step`. Rows of later phases stay: this phase was over then.
 * @param lengths as the checkpoint stores them
 * @throws UserError `file_damaged` if a log is shorter
 */
function cutLogs(
  log: RunLog,
  { phase, metrics, completions, samples }: PhaseFiles,
  step: number,
  { log_bytes, samples_bytes }: Partial<z.infer<typeof madeSchema>>,
): void {
  type Row = { readonly phase?: string; readonly step?: number };
  const isOthers = (row: unknown) => (row as Row).phase !== phase;
  const isEarlier = (row: unknown) => ((row as Row).step ?? 0) <= step;
  const rows = (bytes: number | undefined, isKept = isEarlier): RowsToKeep =>
    bytes === undefined ? { keep: (row) => isOthers(row) || isKept(row) } : { after: bytes, keep: isOthers };
  if (completions !== null) log.cut(completions, { keep: isEarlier });
  log.cut(metrics, rows(log_bytes));
  // Samples before the first step belong to no checkpoint.
  if (samples !== null)
    log.cut(
      samples,
      rows(samples_bytes, (row) => step > 0 && isEarlier(row)),
    );
}

const SAVING_SHARE = 0.03;

interface SavingPace {
  /** Whether a checkpoint may be saved now; the time from here until `saved` returns counts as saving. */
  due(): boolean;
  /** Saves, and measures the time. */
  saved(save: () => Promise<void>): Promise<void>;
}

/**
 * Limits unrequested checkpoints to a share of the time, however small the steps and large the model: a crash costs a few
 * dozen times the saving time. Results do not depend on it: a resumed run passes through the same states.
 * @param share of the time, above 0; 1 for always
 * @param now milliseconds of a monotonic clock
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
