/**
 * Checkpoints that know how long the log of their run was: going on from one, the log is cut back to that length, so
 * that it ends as if nothing had happened. Each also says with which configuration and under which circumstances it was
 * made, for whoever looks into it.
 */
import { z } from 'zod';
import { toFault } from '../../shared/errors.js';
import type { CheckpointSlot, Json } from '../engine/types.js';
import { isDamage } from '../storage/file-errors.js';

/** The log of a phase, in a file that phases may share. */
export interface PhaseLog {
  /** Puts every row on the disk. Result: the file's length in bytes. */
  settle(): number;
  /**
   * Removes what this phase has logged after a checkpoint of `step`, and what follows it.
   * @param bytes the length that the checkpoint notes; null when it notes none
   * @throws UserError `file_damaged` when the log is shorter
   */
  cut(step: number, bytes: number | null): void;
}

export interface LoggedProgressOptions {
  readonly slot: CheckpointSlot;
  readonly log: PhaseLog;
  /** What is kept with every checkpoint. */
  readonly made: Readonly<Record<string, Json>>;
  onNotice(message: string): void;
}

const madeSchema = z.looseObject({ log_bytes: z.int().min(0) });

export function loggedProgress({ slot, log, made, onNotice }: LoggedProgressOptions): CheckpointSlot {
  return {
    async latest() {
      const checkpoint = await slot.latest();
      if (checkpoint === null) {
        log.cut(0, null);
        return null;
      }
      const { made: before, ...state } = checkpoint.state;
      const parsed = madeSchema.safeParse(before); // a Verisim that did not note the length made it, when this fails
      cutOrTell(log, Number(state['step'] ?? 0), parsed.success ? parsed.data.log_bytes : null, onNotice);
      return { ...checkpoint, state };
    },
    async save(checkpoint, step) {
      const state = { ...checkpoint.state, made: { ...made, log_bytes: log.settle() } };
      await slot.save({ ...checkpoint, state }, step);
    },
  };
}

/** A log that lost rows is no reason not to train on. */
function cutOrTell(log: PhaseLog, step: number, bytes: number | null, onNotice: (message: string) => void): void {
  try {
    log.cut(step, bytes);
  } catch (error) {
    if (!isDamage(error)) throw error;
    onNotice(`Rows of the metrics are lost: ${toFault(error).message}. Training goes on from its checkpoint.`);
  }
}
