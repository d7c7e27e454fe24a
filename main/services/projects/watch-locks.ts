/** Publishes a project's summary when another program begins or stops using its folder; nothing else would report it. */
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import type { EventBus } from '../event-bus.js';
import { holderOf } from './holder.js';
import type { Registry } from './registry.js';

/** Milliseconds between two checks. */
export const CHECK_INTERVAL = 2000;

interface WatchOptions {
  readonly bus: EventBus;
  readonly registry: Pick<Registry, 'list'>;
  summaryOf(id: string): ProjectSummary;
}

/** @returns ends the watch */
export function watchLocks({ bus, registry, summaryOf }: WatchOptions): () => void {
  const holders = () => new Map(registry.list().map(({ id, folder }) => [id, pidOf(holderOf(folder))]));
  let known = holders();
  const timer = setInterval(() => {
    const found = holders();
    for (const [id, pid] of found) {
      if (known.has(id) && known.get(id) !== pid) bus.publish('projects.changed', { id, summary: summaryOf(id) });
    }
    known = found;
  }, CHECK_INTERVAL).unref();
  return () => clearInterval(timer);
}

const pidOf = (holder: ReturnType<typeof holderOf>) => (holder === 'unknown' ? holder : (holder?.pid ?? null));
