/** Logs what the app does in at most two files of a megabyte; failures to write are ignored. */
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../../../shared/contract/machine.js';
import type { RunEvent } from '../../../shared/phases/events.js';
import { typed } from '../../../shared/sentence.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import { openJsonLines, readJsonLines, type JsonLinesWriter } from '../../storage/disk/json-lines.js';
import type { Supervisor, SupervisorEvent } from '../../supervisor/types.js';

/** From what must be known to what only helps to find a fault. */
export const logLevels = ['error', 'warning', 'info', 'debug'] as const satisfies readonly Settings['log_level'][];
export type LogLevel = (typeof logLevels)[number];

export interface Log {
  readonly file: string;
  write(level: LogLevel, said: string): void;
  /** The newest lines, as text. */
  newest(count: number): readonly string[];
  close(): void;
}

const MAX_FILE = 1_000_000;
const MAX_LINE = 4000;
const rowSchema = z.object({ at: z.string(), level: z.enum(logLevels), said: z.string() });

interface LogOptions {
  readonly file: string;
  /** What is written now: this level and those before it. */
  level(): LogLevel;
  now(): number;
  readonly longest?: number;
}

export function createLog({ file, level, now, longest = MAX_FILE }: LogOptions): Log {
  let writer: JsonLinesWriter | null = null;
  /** Does without where the disk does not let it. */
  const tried = (act: () => void) => {
    try {
      act();
    } catch {
      writer = null;
    }
  };
  return {
    file,
    write(of, said) {
      if (logLevels.indexOf(of) > logLevels.indexOf(level())) return;
      tried(() => {
        writer ??= openJsonLines(file);
        if (writer.byteLength > longest) {
          writer.close();
          ops.rename(file, `${file}.1`);
          ops.syncFolder(dirname(file));
          writer = openJsonLines(file);
        }
        writer.append({ at: new Date(now()).toISOString(), level: of, said: said.slice(0, MAX_LINE) });
      });
    },
    newest(count) {
      const lines: string[] = [];
      tried(() => {
        for (const { at, level: of, said } of readJsonLines(file, (row) => rowSchema.parse(row))) {
          lines.push(`${at} ${of}: ${said}`);
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

/** Writes down what the supervisor tells. @returns what ends that */
export function logRuns(log: Log, supervisor: Pick<Supervisor, 'subscribe'>): () => void {
  return supervisor.subscribe((told) => {
    const line = lineOf(told);
    if (line) log.write(line[0], line[1]);
  });
}

function lineOf(told: SupervisorEvent): readonly [LogLevel, string] | null {
  switch (told.type) {
    case 'status':
      return ['debug', `${basename(told.status.folder)}: ${told.status.state}`];
    case 'queue':
      return ['debug', `queue: ${told.queue.entries.map(({ folder }) => basename(folder)).join(', ') || 'empty'}`];
    case 'ended': {
      const what = `${basename(told.folder)}: ${told.outcome}`;
      return told.fault === null
        ? ['info', what]
        : ['error', `${what}: ${typed(told.fault.message)} ${typed(told.fault.hint)}`];
    }
    case 'event':
      return eventLine(basename(told.folder), told.event);
  }
}

function eventLine(project: string, event: RunEvent): readonly [LogLevel, string] | null {
  switch (event.event) {
    case 'phase':
      return ['info', `${project}: ${event.state}: ${typed(event.message)}`];
    case 'notice':
      return [event.level, `${project}: ${typed(event.message)}`];
    case 'checkpoint':
      return ['debug', `${project}: checkpoint ${event.name} at step ${event.step}`];
    case 'compiling':
      return ['debug', `${project}: ${typed(event.message)}`];
    case 'error':
      return ['error', `${project}: ${typed(event.fault.message)}`];
    // Figures are kept with the project.
    case 'progress':
    case 'rows':
    case 'sample':
    case 'samples':
    case 'done':
      return null;
  }
}
