/**
 * What the supervisor is doing, as topics: gathered, so that a run that logs a thousand times a second costs a window a
 * few messages a second and nothing is lost but progress that is out of date.
 */
import type { Activity, ProjectSummary } from '../../shared/contract/projects.js';
import type { Queue } from '../../shared/contract/runs.js';
import type { JobEvent } from '../../shared/events.js';
import type { Hub } from '../ipc/topics.js';
import type { RunStatus, Supervisor } from '../supervisor/types.js';

/** Milliseconds for which events and changes are gathered. */
export const gathering = 250;
/** Of one run, within that time; the project's files have them all. */
export const mostEvents = 500;

/** Events after which a project's summary says something else. */
const movesSummary: readonly JobEvent['event'][] = ['progress', 'phase', 'checkpoint', 'compiling'];

export interface LiveOptions {
  readonly supervisor: Supervisor;
  readonly hub: Hub;
  /** The project's id. */
  idOf(folder: string): string;
  summaryOf(id: string): ProjectSummary;
  queue(): Queue;
}

/** @returns ends it */
export function tellLive({ supervisor, hub, idOf, summaryOf, queue }: LiveOptions): () => void {
  const events = new Map<string, JobEvent[]>();
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const flush = () => {
    timer = null;
    for (const [folder, gathered] of events) {
      hub.publish('runs.events', { id: idOf(folder), events: gathered.slice(-mostEvents) });
    }
    events.clear();
    for (const folder of changed) {
      const id = idOf(folder);
      hub.publish('projects.changed', { id, summary: summaryOf(id) });
    }
    changed.clear();
  };
  const soon = () => {
    timer ??= setTimeout(flush, gathering);
  };
  /** When whoever tells has told everything: in between, what it says and what is asked of it do not agree. */
  const next = () => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(flush, 0);
  };
  const unsubscribe = supervisor.subscribe((told) => {
    switch (told.type) {
      case 'event': {
        const { folder, event } = told;
        const gathered = events.get(folder) ?? [];
        // Progress that has been overtaken is of no use.
        const kept = event.event === 'progress' ? gathered.filter(({ event: kind }) => kind !== 'progress') : gathered;
        events.set(folder, [...kept.slice(-mostEvents), event]);
        if (movesSummary.includes(event.event)) changed.add(folder);
        soon();
        return;
      }
      // What somebody has asked for, a pause say, is told as soon as it is so: it comes seldom, and one waits for it.
      case 'status':
        changed.add(told.status.folder);
        next();
        return;
      case 'ended':
        changed.add(told.folder);
        flush();
        return;
      case 'queue':
        hub.publish('queue.changed', queue());
        return;
    }
  });
  return () => {
    if (timer !== null) clearTimeout(timer);
    unsubscribe();
  };
}

/** Where a run is, from its last phase and progress; null before the first of either. */
export function activityOf({ phase, progress }: Pick<RunStatus, 'phase' | 'progress'>): Activity | null {
  const current = progress?.phase ?? phase?.phase;
  if (current === undefined) return null;
  const isOf = phase?.phase === current;
  return {
    phase: current,
    // What is measured within a phase, or after it, is of its cycle.
    cycle: phase?.cycle ?? 0,
    name: (isOf ? phase.name : undefined) ?? null,
    done: progress?.done ?? 0,
    total: progress?.total ?? 0,
    unit: progress?.unit ?? 'steps',
    rate: progress?.rate ?? null,
    seconds_left: progress?.seconds_left ?? null,
    project_seconds_left: progress?.project_seconds_left ?? null,
    detail: progress?.detail ?? null,
  };
}
