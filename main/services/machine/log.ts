/** Logs what the app does in at most two files of a megabyte; failures to write are ignored. */
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../../../shared/contract/machine.js';
import { plainEnglish } from '../../../shared/messages/surfaces.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import { openJsonLines, readJsonLines, type JsonLinesWriter } from '../../storage/disk/json-lines.js';
import type { Supervisor } from '../../supervisor/types.js';

export const logLevels = ['error', 'warning', 'info', 'debug'] as const satisfies readonly Settings['log_level'][];
export type LogLevel = (typeof logLevels)[number];

const MAX_FILE = 1_000_000;
const MAX_LINE = 4000;
const rowSchema = z.object({ at: z.string(), level: z.enum(logLevels), said: z.string() });

interface LogOptions {
  readonly file: string;
  level(): LogLevel;
  now(): number;
  readonly longest?: number;
}

export type Log = ReturnType<typeof createLog>;

export function createLog({ file, level, now, longest = MAX_FILE }: LogOptions) {
  let writer: JsonLinesWriter | null = null;
  const tried = (act: () => void) => {
    try {
      act();
    } catch {
      writer = null;
    }
  };
  return {
    file,
    write(of: LogLevel, text: string) {
      if (logLevels.indexOf(of) > logLevels.indexOf(level())) return;
      tried(() => {
        writer ??= openJsonLines(file);
        if (writer.byteLength > longest) {
          writer.close();
          ops.rename(file, `${file}.1`);
          ops.syncFolder(dirname(file));
          writer = openJsonLines(file);
        }
        writer.append({ at: new Date(now()).toISOString(), level: of, said: text.slice(0, MAX_LINE) });
      });
    },
    newest(count: number) {
      const lines: string[] = [];
      tried(() => {
        for (const { at, level: of, said: text } of readJsonLines(file, (row) => rowSchema.parse(row))) {
          lines.push(`${at} ${of}: ${text}`);
          if (lines.length > count) lines.shift();
        }
      });
      return lines;
    },
    close() {
      tried(() => writer?.close());
      writer = null;
    },
  };
}

/** Logs how runs end; their events are in the project's own log. @returns ends it */
export function logRuns(log: Log, supervisor: Pick<Supervisor, 'subscribe'>): () => void {
  return supervisor.subscribe((event) => {
    if (event.type !== 'ended') return;
    const { folder, outcome, fault } = event;
    const reason = fault === null ? '' : `: ${plainEnglish(fault.message)} ${plainEnglish(fault.hint)}`;
    log.write(fault === null ? 'info' : 'error', `${basename(folder)}: ${outcome}${reason}`);
  });
}
