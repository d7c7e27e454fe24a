/**
 * The store of a run, whether a project of many phases or the output folder of a single command: its logs, the checkpoints
 * of its phases, and the record of its environment.
 */
import packageFile from '../../../package.json' with { type: 'json' };
import { localized } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Json } from '../../engine/types.js';
import { cutBack, openJsonLines, type JsonLinesWriter, type RowsToKeep } from '../../storage/disk/json-lines.js';
import { environmentNow, noteEnvironment, type EnvironmentRecord } from '../../storage/projects/environment-record.js';
import { createTensorboard } from '../../storage/projects/tensorboard.js';
import { alsoEmitting, notice, type JobContext, type MachineChoice } from '../types.js';
import { createCheckpoints } from './checkpoints.js';

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
