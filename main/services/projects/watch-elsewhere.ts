/**
 * Projects that run though this program has not started them: nobody tells it how they go, so it looks. Only what says so of
 * itself is looked at (main/storage/projects/run-desk.ts).
 */
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import { UserError } from '../../../shared/errors.js';
import { readRun } from '../../storage/projects/run-desk.js';
import type { EventBus } from '../event-bus.js';
import type { Registry } from './registry.js';

/** Milliseconds between two looks: as often as a run tells where it is. */
export const lookingElsewhere = 2000;

interface ElsewhereOptions {
  readonly bus: EventBus;
  readonly registry: Pick<Registry, 'list'>;
  summaryOf(id: string): ProjectSummary;
}

/** @returns ends it */
export function watchElsewhere({ bus, registry, summaryOf }: ElsewhereOptions): () => void {
  const known = new Map<string, string>();
  const look = () => {
    for (const { id, folder } of registry.list()) {
      const told = toldIn(folder);
      const now = told && JSON.stringify(told);
      if ((known.get(id) ?? null) === now) continue;
      if (now === null) known.delete(id);
      else known.set(id, now);
      const summary = summaryOf(id);
      bus.publish('projects.changed', { id, summary });
      const { activity } = summary;
      if (activity) bus.publish('runs.rows', { id, cycle: activity.cycle, phase: activity.phase, step: activity.done });
    }
  };
  const timer = setInterval(look, lookingElsewhere).unref();
  return () => clearInterval(timer);
}

function toldIn(folder: string) {
  try {
    return readRun(folder);
  } catch (error) {
    // What cannot be read is told by the project's own state.
    if (error instanceof UserError) return null;
    throw error;
  }
}
