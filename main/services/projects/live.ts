/** Publishes what the supervisor does as topics, a few messages a second at most. */
import type { Activity, ProjectSummary } from '../../../shared/contract/projects.js';
import type { Queue } from '../../../shared/contract/runs.js';
import type { TopicMessage } from '../../../shared/contract/topics.js';
import type { RunEvent } from '../../../shared/phases/events.js';
import type { EventBus } from '../event-bus.js';
import type { RunStatus, Supervisor } from '../../supervisor/types.js';

/** Milliseconds for which changes of a summary are gathered. */
export const gathering = 250;
export const gatheringRows = 1000;

const movesSummary: readonly RunEvent['event'][] = ['progress', 'phase', 'checkpoint', 'compiling'];

interface LiveOptions {
  readonly supervisor: Supervisor;
  readonly bus: EventBus;
  idOf(folder: string): string;
  summaryOf(id: string): ProjectSummary;
  queue(): Queue;
}

/** @returns ends it */
export function publishLive({ supervisor, bus, idOf, summaryOf, queue }: LiveOptions): () => void {
  const changed = gathered<string>(gathering, (folder) => {
    const id = idOf(folder);
    bus.publish('projects.changed', { id, summary: summaryOf(id) });
  });
  const rows = gathered<TopicMessage<'runs.rows'>>(gatheringRows, (message) => bus.publish('runs.rows', message));
  const writing = gathered<TopicMessage<'runs.writing'>>(gathering, (message) => bus.publish('runs.writing', message));
  const unsubscribe = supervisor.subscribe((change) => {
    switch (change.type) {
      case 'event': {
        const { folder, event } = change;
        if (event.event === 'rows' || event.event === 'samples') {
          const { phase, cycle = 0, step } = event;
          rows.put(`${folder} ${cycle} ${phase}`, { id: idOf(folder), cycle, phase, step });
        } else if (event.event === 'writing') {
          const { cycle = 0, step, samples } = event;
          writing.put(folder, { id: idOf(folder), cycle, step, samples });
        } else if (movesSummary.includes(event.event)) changed.put(folder, folder);
        return;
      }
      case 'status':
        changed.put(change.status.folder, change.status.folder);
        changed.within(0);
        return;
      case 'ended':
        changed.put(change.folder, change.folder);
        rows.flush();
        changed.flush();
        return;
      case 'queue':
        bus.publish('queue.changed', queue());
        return;
    }
  });
  return () => {
    changed.end();
    rows.end();
    writing.end();
    unsubscribe();
  };
}

/** Collects the newest value of each key and publishes them together after a delay. */
function gathered<T>(milliseconds: number, publish: (value: T) => void) {
  const waiting = new Map<string, T>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const flush = () => {
    end();
    const values = [...waiting.values()];
    waiting.clear();
    values.forEach(publish);
  };
  const within = (wait: number) => {
    clearTimeout(timer);
    timer = setTimeout(flush, wait);
  };
  return {
    put(key: string, value: T) {
      waiting.set(key, value);
      if (timer === undefined) within(milliseconds);
    },
    within,
    flush,
    end,
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
