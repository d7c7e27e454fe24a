/**
 * What a project folder says about itself: its configuration, the reports of its cycles, how far each phase is. Read
 * from the files alone, changing nothing, so that it is true whoever made them.
 */
import { statSync } from 'node:fs';
import * as path from 'node:path';
import { z } from 'zod';
import { measured, sampleSchema } from '../../shared/contract/values.js';
import { UserError, type Fault } from '../../shared/errors.js';
import { stateFile } from '../engine/checkpoint.js';
import { initialEarlyStopping, updateEarlyStopping } from '../engine/early-stopping.js';
import { isExact } from './circumstances.js';
import { readText } from './file-bytes.js';
import { onFile } from './file-errors.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { openProject, type Project } from './project-folder.js';
import { cycleNames, projectPaths } from './project-paths.js';

export const reportSchema = z.looseObject({
  cycle: z.int(),
  name: z.string(),
  val_loss: measured,
  perplexity: measured,
  samples: z.array(sampleSchema),
});
export type Report = z.infer<typeof reportSchema>;

export type ProjectFacts =
  { readonly kind: 'missing' } | { readonly kind: 'damaged'; readonly fault: Fault } | WholeFacts;

export interface WholeFacts {
  readonly kind: 'whole';
  readonly project: Project;
  readonly reports: readonly Report[];
  /** Something has been trained already, if not to its end. */
  readonly begun: boolean;
  /** Every cycle is done, or they ended because they no longer helped. */
  readonly finished: boolean;
  /** ISO 8601: when something in it was last written. */
  readonly changed: string;
  /** False when a run went on with another version or on another machine. */
  readonly exact: boolean;
}

export function projectFacts(folder: string, ops: FileOperations = nodeFileOperations): ProjectFacts {
  try {
    if (!isThere(projectPaths(folder).config, ops)) return { kind: 'missing' };
    const project = openProject(folder, ops);
    const reports = readReports(folder, ops);
    return {
      kind: 'whole',
      project,
      reports,
      begun: reports.length > 0 || namesIn(project.paths.checkpoints, ops).length > 0,
      finished: isFinished(project, reports),
      changed: lastChange(project, reports.length),
      exact: isExact(project.paths.circumstances, ops),
    };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'damaged', fault: error.toFault() };
    throw error;
  }
}

/** Reports in order of their cycle, up to the first that is missing or cannot be read: that cycle is done again. */
export function readReports(folder: string, ops: FileOperations = nodeFileOperations): readonly Report[] {
  const paths = projectPaths(folder);
  const reports: Report[] = [];
  for (;;) {
    const file = paths.cycle(reports.length).report;
    const parsed = isThere(file, ops) ? reportSchema.safeParse(jsonOf(readText(file, ops))) : null;
    if (!parsed?.success) return reports;
    reports.push(parsed.data);
  }
}

const provenanceSchema = z.looseObject({ provenance: z.looseObject({}) });

/**
 * What is known of the cycle that runs before its report is written: how well its reward model sees, once that is
 * trained. Null before.
 */
export function readUnfinished(
  folder: string,
  ops: FileOperations = nodeFileOperations,
): { readonly cycle: number; readonly reward_model: Readonly<Record<string, unknown>> } | null {
  const paths = projectPaths(folder);
  const cycle = readReports(folder, ops).length;
  if (cycle === 0) return null;
  const file = path.join(paths.model(cycleNames(cycle).rewardModel), stateFile);
  const parsed = isThere(file, ops) ? provenanceSchema.safeParse(jsonOf(readText(file, ops))) : null;
  return parsed?.success ? { cycle, reward_model: parsed.data.provenance } : null;
}

/** The rule by which `runCycles` of main/engine/cycle.ts ends. */
function isFinished({ config }: Project, reports: readonly Report[]): boolean {
  if (reports.length > config.max_cycles) return true;
  const rule = { patience: config.cycle_patience, minDelta: config.cycle_min_delta, better: 'lower' } as const;
  let state = initialEarlyStopping;
  let stop = false;
  for (const { perplexity } of reports) ({ state, stop } = updateEarlyStopping(rule, state, perplexity ?? NaN));
  return stop && reports.length > 1;
}

function lastChange({ paths }: Project, cycles: number): string {
  const files = [paths.config, paths.events, paths.checkpoints, paths.cycle(cycles).metrics, paths.cycle(0).metrics];
  if (cycles > 0) files.push(paths.cycle(cycles - 1).report);
  const times = files.map((file) =>
    onFile(file, 'read', () => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  return new Date(Math.max(...times)).toISOString();
}

/** Names of models that can be written with, in order of their making. */
export const modelNamesIn = (project: Project): string[] =>
  namesIn(project.paths.checkpoints, nodeFileOperations)
    .filter((name) => /^base_model_v\d+$/.test(name))
    .sort((a, b) => Number(a.slice(12)) - Number(b.slice(12)));

const isThere = (file: string, ops: FileOperations) => onFile(file, 'read', () => ops.kind(file)) !== 'none';

const namesIn = (folder: string, ops: FileOperations): readonly string[] =>
  isThere(folder, ops) ? onFile(folder, 'read', () => ops.list(folder)) : [];

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
