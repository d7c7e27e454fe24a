/**
 * The logs of a run, as JSON Lines: metrics (also as TensorBoard's event files, when asked for), what was said, and
 * completions. Each is opened when first written to, synced with a checkpoint, and cut back to it on resume.
 */
import type { JobEvent } from '../../../shared/phases/events.js';
import { cutBack, type JsonLinesWriter, openJsonLines, type RowsToKeep } from '../../storage/disk/json-lines.js';
import { createTensorboard } from '../../storage/projects/tensorboard.js';

export interface LogFiles {
  /** events.jsonl; null where nobody reads what was said. */
  readonly events: string | null;
  /** The folder of event files; null when they were not asked for. */
  readonly tensorboard: string | null;
  /** The file that a row of metrics goes to, and what TensorBoard calls its run. */
  samplesOf(event: Extract<JobEvent, { event: 'samples' }>): string;
  metricsOf(event: Extract<JobEvent, { event: 'metrics' }>): { readonly file: string; readonly run: string };
}

export type RunLog = ReturnType<typeof openRunLog>;

/** @param now milliseconds since 1970 */
export function openRunLog({ events, tensorboard: folder, metricsOf, samplesOf }: LogFiles, now: () => number) {
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
    /** Keeps an event, where it is of a kind that is kept. */
    keep(event: JobEvent): void {
      if (event.event === 'metrics') {
        const { file, run } = metricsOf(event);
        const at = now();
        append(file, { at: new Date(at).toISOString(), ...event });
        tensorboard?.append(run, event.step, event.values, at);
      } else if (event.event === 'samples') {
        const { phase, cycle, step, samples } = event;
        for (const sample of samples) append(samplesOf(event), { phase, cycle, step, ...sample });
      } else if ((event.event === 'phase' || event.event === 'notice') && events !== null) {
        append(events, { at: new Date(now()).toISOString(), ...event });
        sync(events); // they are few, and nothing that was said is to be lost or garbled
      }
    },
    append,
    /** Puts every row that was appended on the disk. */
    sync,
    /** Of the whole rows there are; makes the file when there is none. */
    byteLength: (file: string): number => opened(file).byteLength,
    /** @throws UserError `file_damaged` when the file is shorter than `keep` says */
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
