/** Reads a project folder's state from its files: configuration, reports, progress. Changes nothing. */
import { statSync } from 'node:fs';
import * as path from 'node:path';
import { z } from 'zod';
import { type Fault, UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { artefactName, artefactsAmong } from '../../../shared/phases/index.js';
import { type CycleReport, type EndReason, reportSchema, unfinishedSchema } from '../../../shared/reports/report.js';
import { stateFile } from '../../formats/checkpoint.js';
import { type FileOperations, kindAt, nodeFileOperations } from '../disk/file-operations.js';
import { readJson } from '../disk/json-file.js';
import { isExact } from './environment-record.js';
import { endingOf } from './outcome.js';
import { openProject, type Project } from './project-folder.js';
import { projectPaths } from './project-paths.js';

export type ProjectFacts =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged' | 'newer'; readonly fault: Fault }
  | WholeFacts;

export interface WholeFacts {
  readonly kind: 'whole';
  readonly project: Project;
  readonly reports: readonly CycleReport[];
  readonly hasStarted: boolean;
  /** Why the cycles ended: all are done, or they no longer helped; null while there is something to do. */
  readonly ended: EndReason | null;
  /** About how many more votes it waits for, and on which versions; null if it waits for none. */
  readonly awaits: { readonly votes: number; readonly newest: string; readonly previous: string } | null;
  readonly changed: string;
  /** False when a run was resumed with another version or on another machine. */
  readonly exact: boolean;
}

export function projectFacts(folder: string, ops = nodeFileOperations): ProjectFacts {
  try {
    if (kindAt(projectPaths(folder).config, ops) === 'none') return { kind: 'missing' };
    const project = openProject(folder, ops);
    const reports = readReports(folder, ops);
    const rewardModel = readUnfinished(folder, ops)?.reward_model ?? null;
    const ending = endingOf(project, { reports, rewardModel }, ops);
    const { paths } = project;
    return {
      kind: 'whole',
      project,
      reports,
      hasStarted: reports.length > 0 || namesIn(paths.checkpoints, ops).length > 0,
      ended: ending.verdict === 'end' ? ending.because : null,
      awaits:
        ending.verdict === 'wait' ? { votes: ending.votes, newest: ending.newest, previous: ending.previous } : null,
      changed: lastChange(project, reports.length),
      exact: isExact(paths.environment, ops),
    };
  } catch (error) {
    if (error instanceof UserError)
      return { kind: error.code === 'unsupported' ? 'newer' : 'damaged', fault: error.toFault() };
    throw error;
  }
}

/** Reads the reports up to the first that is missing or damaged: that cycle is done again. */
export function readReports(folder: string, ops = nodeFileOperations): readonly CycleReport[] {
  const paths = projectPaths(folder);
  const reports: CycleReport[] = [];
  for (;;) {
    const report = readJson(paths.cycle(reports.length).report, reportSchema, { ops });
    if (report === null) return reports;
    reports.push(report);
  }
}

const provenanceSchema = z.looseObject({ provenance: unfinishedSchema.shape.reward_model });

/** Reads the reward model's quality in the running cycle; null before it is trained. */
export function readUnfinished(folder: string, ops = nodeFileOperations): z.infer<typeof unfinishedSchema> | null {
  const paths = projectPaths(folder);
  const cycle = readReports(folder, ops).length;
  if (cycle === 0) return null;
  const file = path.join(paths.model(artefactName('reward_model', cycle)), stateFile);
  const state = readJson(file, provenanceSchema, { ops });
  return state && { cycle, reward_model: state.provenance };
}

function lastChange({ paths }: Project, cycles: number): string {
  const files = [paths.config, paths.events, paths.checkpoints, paths.cycle(cycles).metrics, paths.cycle(0).metrics];
  if (cycles > 0) files.push(paths.cycle(cycles - 1).report);
  const times = files.map((file) =>
    onFile(file, 'read', () => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  return new Date(Math.max(...times)).toISOString();
}

export const modelNamesIn = (project: Project): string[] => [
  ...artefactsAmong('base_model', namesIn(project.paths.checkpoints, nodeFileOperations)),
];

const namesIn = (folder: string, ops: FileOperations): readonly string[] =>
  kindAt(folder, ops) === 'none' ? [] : onFile(folder, 'read', () => ops.list(folder));
