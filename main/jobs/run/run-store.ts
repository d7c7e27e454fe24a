/**
 * The store of a run, whether a project of many phases or the output folder of a single command: its logs, the checkpoints
 * of its phases, and the record of its environment.
 */
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { toFault, UserError } from '../../../shared/errors.js';
import { isDamage, onFile } from '../../../shared/file-errors.js';
import { fileFault } from '../../../shared/file-faults.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import type { JobEvent, PhaseName } from '../../../shared/phases/events.js';
import type { Json, Checkpoint, CheckpointSlot } from '../../engine/types.js';
import { nodeFileOperations } from '../../storage/disk/file-operations.js';
import { cutBack, openJsonLines, type JsonLinesWriter, type RowsToKeep } from '../../storage/disk/json-lines.js';
import { createCheckpointSlot, type StoredCheckpointSlot } from '../../storage/projects/checkpoint-store.js';
import { environmentNow, noteEnvironment, type EnvironmentRecord } from '../../storage/projects/environment-record.js';
import { createTensorboard } from '../../storage/projects/tensorboard.js';
import { alsoEmitting, notice, type JobContext, type MachineChoice, type NoticeText } from '../types.js';

export interface RunFiles {
  /** circumstances.json. */
  readonly environment: string;
  /** events.jsonl; null to store no events. */
  readonly events: string | null;
  /** The folder of event files; null unless requested. */
  readonly tensorboard: string | null;
  samplesOf(event: Extract<JobEvent, { event: 'samples' }>): string;
  /** Returns the file of a row of metrics, and TensorBoard's name of its run. */
  metricsOf(event: Extract<JobEvent, { event: 'metrics' }>): { readonly file: string; readonly run: string };
}

interface RunFacts {
  /** Stored with every checkpoint. */
  readonly configuration: Readonly<Record<string, Json>>;
  /** As configured; null for one per core. */
  readonly threads: number | null;
  /** By default the machine that the flags describe. */
  readonly machine?: MachineChoice;
}

export function openRunStore(files: RunFiles, { configuration, threads, machine }: RunFacts, outer: JobContext) {
  const log = openRunLog(files, () => outer.now());
  /** The context whose events are also stored. */
  const context = alsoEmitting(outer, log.store);
  let started: Promise<EnvironmentRecord> | null = null;
  /** Call before anything is computed: warns if the machine or the version has changed. */
  const beginWork = () =>
    (started ??= outer.runtime(machine).then((runtime) => {
      const here = environmentNow(packageFile.version, runtime, threads);
      const changes = noteEnvironment(files.environment, here, new Date(outer.now()).toISOString());
      if (changes.length > 0) context.emit(notice('not_exact', localized('run.not_exact', { changes }), 'warning'));
      return here;
    }));
  const checkpoints = createCheckpoints(log, {
    savingShare: outer.savingShare,
    made: async () => ({ ...(await beginWork()), configuration }),
    onNotice: (message) => context.emit(notice('checkpoint', message, 'warning')),
  });
  return { ...checkpoints, log, context, beginWork };
}

export type RunLog = ReturnType<typeof openRunLog>;

/**
 * Opens the logs as JSON Lines: metrics (also as TensorBoard's event files), events, samples and completions. Each is opened
 * at its first row, synced with a checkpoint, and cut back to it on resume.
 * @param now milliseconds since 1970
 */
function openRunLog({ events, tensorboard: folder, metricsOf, samplesOf }: RunFiles, now: () => number) {
  const open = new Map<string, JsonLinesWriter>();
  const opened = (file: string) => {
    const log = open.get(file) ?? openJsonLines(file);
    open.set(file, log);
    return log;
  };
  const append = (file: string, row: object) => opened(file).append(row);
  const sync = (...files: readonly string[]) => files.forEach((file) => open.get(file)?.sync());
  if (events !== null) opened(events);
  const tensorboard = folder === null ? null : createTensorboard(folder);
  return {
    /** Stores an event if its kind is logged. */
    store(event: JobEvent): void {
      const at = now();
      if (event.event === 'metrics') {
        const { file, run } = metricsOf(event);
        append(file, { at: new Date(at).toISOString(), ...event });
        tensorboard?.append(run, event.step, event.values, at);
      } else if (event.event === 'samples') {
        const { phase, cycle, step, samples } = event;
        for (const sample of samples) append(samplesOf(event), { phase, cycle, step, ...sample });
      } else if ((event.event === 'phase' || event.event === 'notice') && events !== null) {
        append(events, { at: new Date(at).toISOString(), ...event });
        sync(events); // they are few, and none may be lost
      }
    },
    append,
    /** Puts all appended rows on the disk. */
    sync,
    /** Bytes of the whole rows; creates the file. */
    byteLength: (file: string): number => opened(file).byteLength,
    /** @throws UserError `file_damaged` if the file is shorter than `keep` says */
    cut(file: string, keep: RowsToKeep): void {
      open.get(file)?.close();
      open.delete(file);
      cutBack(file, keep);
    },
    close(): void {
      tensorboard?.close();
      for (const log of open.values()) log.close();
    },
  };
}

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

function createCheckpoints(log: RunLog, { savingShare = SAVING_SHARE, made, onNotice }: CheckpointsOptions) {
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
    // Once its folder was moved or its disk unplugged, a checkpoint would be written from which nothing resumes.
    const isGone = onFile(metrics, 'write', () => nodeFileOperations.kind(metrics) === 'none');
    if (isGone) throw new UserError(fileFault('ENOENT', metrics, 'write'));
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
  const rows = (bytes: number | undefined, isKept: (row: unknown) => boolean): RowsToKeep =>
    bytes === undefined ? { keep: (row) => isOthers(row) || isKept(row) } : { after: bytes, keep: isOthers };
  if (completions !== null) log.cut(completions, { keep: isEarlier });
  // Rows and samples before the first step belong to no checkpoint.
  const isOfCheckpoint = (row: unknown) => step > 0 && isEarlier(row);
  log.cut(metrics, rows(log_bytes, isOfCheckpoint));
  if (samples !== null) log.cut(samples, rows(samples_bytes, isOfCheckpoint));
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
