/**
 * Topic messages on their way to a window that may be slow. While it cannot take more, only what still matters is kept:
 * the newest state of each thing, and the last events of each run. So a slow window costs a bounded amount of memory,
 * and shows the present as soon as it can.
 */
import type { TopicMessage, TopicName } from '../../shared/contract/index.js';
import type { JobEvent } from '../../shared/events.js';

export interface OutboxPort {
  send(topic: TopicName, message: unknown): void;
  /** False while enough is waiting to be taken already. */
  isReady(): boolean;
}

export interface Outbox {
  push(topic: TopicName, message: unknown): void;
  /** To be called when the port is ready again. */
  flush(): void;
  /** How many messages wait. */
  readonly size: number;
}

/** Of each run, so many events wait at most; older ones are in the project's own logs. */
export const keptEvents = 200;

export function createOutbox(port: OutboxPort): Outbox {
  const waiting = new Map<string, { readonly topic: TopicName; readonly message: unknown }>();
  const flush = () => {
    for (const [key, { topic, message }] of waiting) {
      if (!port.isReady()) return;
      waiting.delete(key);
      port.send(topic, message);
    }
  };
  return {
    push(topic, message) {
      if (waiting.size === 0 && port.isReady()) {
        port.send(topic, message);
        return;
      }
      const key = keyOf(topic, message);
      const before = waiting.get(key)?.message;
      waiting.set(key, { topic, message: before === undefined ? message : merged(topic, before, message) });
      flush();
    },
    flush,
    get size() {
      return waiting.size;
    },
  };
}

function keyOf(topic: TopicName, message: unknown): string {
  const perProject = topic === 'projects.changed' || topic === 'runs.events';
  return perProject ? `${topic} ${(message as { readonly id: string }).id}` : topic;
}

function merged(topic: TopicName, before: unknown, now: unknown): unknown {
  if (topic !== 'runs.events') return now;
  const [older, newer] = [before, now] as [TopicMessage<'runs.events'>, TopicMessage<'runs.events'>];
  const events = [...older.events, ...newer.events];
  // Of progress only the newest says anything.
  const last = events.findLastIndex(isProgress);
  const kept = events.filter((event, index) => !isProgress(event) || index === last);
  return { id: newer.id, events: kept.slice(-keptEvents) };
}

const isProgress = ({ event }: JobEvent) => event === 'progress';
