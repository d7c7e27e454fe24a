/** Records versions and hardware in circumstances.json: if they change, a resumed run is no longer exact. */
import * as os from 'node:os';
import { z } from 'zod';
import { localized, type Message } from '../../../shared/messages/message.js';
import { environmentSchema } from '../../../shared/reports/run-report.js';
import { processorAbilities } from '../../engine/runtime/processor.js';
import type { Runtime } from '../../engine/runtime/types.js';
import { usableCores } from '../../installation/environment.mjs';
import { nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';

export type EnvironmentRecord = z.infer<typeof environmentSchema>;

const fileSchema = z.object({
  format_version: z.literal(1),
  entries: z.array(z.object({ at: z.string(), ...environmentSchema.shape })).min(1),
});

const facts = ['verisim', 'runtime', 'device', 'precision', 'processor', 'threads'] as const;

/** @param threads as configured; null for one per core */
export function environmentNow(
  verisim: string,
  { kind, version, device, precision }: Pick<Runtime, 'kind' | 'version' | 'device' | 'precision'>,
  threads: number | null,
): EnvironmentRecord {
  return {
    verisim,
    runtime: `${kind} ${version}`,
    device,
    precision,
    processor: (processor ??= describeProcessor(os.cpus()[0]?.model)),
    threads: kind === 'tensorflow' ? (threads ?? usableCores()) : 1,
  };
}

const changesBetween = (before: EnvironmentRecord, now: EnvironmentRecord): Message[] =>
  facts
    .filter((fact) => before[fact] !== now[fact])
    .map((fact) => {
      const name = localized(`environment.${fact}`);
      return localized('environment.changed', { name, before: String(before[fact]), now: String(now[fact]) });
    });

/** Records the current environment. @param at ISO 8601. @returns what changed since the last entry */
export function noteEnvironment(file: string, now: EnvironmentRecord, at: string): Message[] {
  const entries = readEnvironments(file);
  const last = entries.at(-1);
  const changes = last === undefined ? [] : changesBetween(last, now);
  if (last === undefined || changes.length > 0) {
    writeJson(file, { format_version: 1, entries: [...entries, { at, ...now }] });
  }
  return changes;
}

/** Whether all work so far was done in the same environment, so that a repetition gives the same bytes. */
export const isExact = (file: string, ops = nodeFileOperations): boolean => readEnvironments(file, ops).length < 2;

/** Reads all entries; a damaged file counts as none. */
export const readEnvironments = (file: string, ops = nodeFileOperations): z.infer<typeof fileSchema>['entries'] =>
  readJson(file, fileSchema, { ops })?.entries ?? [];

/** Extensions that TensorFlow's kernels are chosen by. */
const decisive = /^(sse4_[12]|avx\w*|fma|f16c|amx\w*|asimd\w*|sve\w*|bf16|i8mm)$/;

let processor: string | null = null;

/** @param reported name from the system, if any. @param cpuinfo file of features on Linux */
export function describeProcessor(reported: string | undefined, cpuinfo = '/proc/cpuinfo'): string {
  const model = reported?.trim() || os.arch();
  const abilities = processorAbilities(cpuinfo);
  if (abilities === null) return model;
  const found = abilities.split(' ').filter((flag) => decisive.test(flag));
  return `${model} (${[...new Set(found)].sort().join(' ')})`;
}
