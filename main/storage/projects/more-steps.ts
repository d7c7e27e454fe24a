/** Adds steps to the base training of a project that does not run, finished or not. */
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized } from '../../../shared/messages/message.js';
import { artefactName } from '../../../shared/phases/index.js';
import { kindAt } from '../disk/file-operations.js';
import { openJsonLines, readJsonLines } from '../disk/json-lines.js';
import { readReports } from './project-facts.js';
import type { WritableProject } from './project-folder.js';

const within = { cycle: 0, phase: 'base_training' } as const;
const row = z.looseObject({
  asked: z.int().optional(),
  iterations: z.int().optional(),
  within: z.looseObject({ phase: z.string() }).optional(),
});

/** Counts the steps that a project's base training has or will have; null for minutes that are not resolved to steps yet. */
export function stepsOfBase({ paths, config }: Pick<WritableProject, 'paths' | 'config'>): number | null {
  const planned = config.train_minutes === null ? config.max_iters : undefined;
  const own = readReports(paths.folder)[0]?.base?.planned_steps ?? planned;
  const added = rowsOf(paths.changes).filter((each) => each.within?.phase === within.phase);
  return own === undefined ? null : added.reduce((sum, { iterations = 0 }) => sum + iterations, own);
}

/**
 * Requests more steps as the window does of a running project (main/jobs/changes.ts), and lifts the report that ends base training,
 * which goes on from its last checkpoint at the next start.
 * @throws UserError `bad_input` once a cycle has started, or if an earlier version deleted the checkpoint
 */
export function addSteps({ paths }: WritableProject, iterations: number): void {
  const { report } = paths.cycle(0);
  const isFinished = kindAt(report) !== 'none';
  const canGoOn = !isFinished || kindAt(paths.progress(artefactName('base_model', 0))) !== 'none';
  if (kindAt(paths.cycle(1).folder) !== 'none' || !canGoOn) {
    const message = localized('moreSteps.impossible');
    throw new UserError({ code: 'bad_input', message, hint: localized('moreSteps.trainOn'), field: 'max_iters' });
  }
  const request = 1 + Math.max(0, ...rowsOf(paths.changes).map((each) => each.asked ?? 0));
  const log = openJsonLines(paths.changes);
  try {
    log.append({ at: new Date().toISOString(), asked: request, iterations, within });
    log.sync();
  } finally {
    log.close();
  }
  // After the request: a crash in between leaves the project finished.
  if (isFinished) onFile(report, 'write', () => rmSync(report));
}

const rowsOf = (changes: string) => [...readJsonLines(changes, (value) => row.parse(value))];
