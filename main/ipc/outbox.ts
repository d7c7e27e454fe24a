/** Queues topic messages for a slow window and keeps only the newest state of each thing. */
import type { TopicMessage, TopicName } from '../../shared/contract/index.js';

interface OutboxPort {
  send(topic: TopicName, message: unknown): void;
  /** False while enough is waiting to be taken already. */
  isReady(): boolean;
}

export function createOutbox(port: OutboxPort) {
  const waiting = new Map<string, { readonly topic: TopicName; readonly message: unknown }>();
  const flush = () => {
    for (const [key, { topic, message }] of waiting) {
      if (!port.isReady()) return;
      waiting.delete(key);
      port.send(topic, message);
    }
  };
  return {
    push(topic: TopicName, message: unknown) {
      if (waiting.size === 0 && port.isReady()) {
        port.send(topic, message);
        return;
      }
      waiting.set(keyOf(topic, message), { topic, message });
      flush();
    },
    flush,
    get size() {
      return waiting.size;
    },
  };
}

/** What a message is the newest state of. */
function keyOf(topic: TopicName, message: unknown): string {
  switch (topic) {
    case 'projects.changed':
    case 'runs.writing':
      return `${topic} ${(message as TopicMessage<typeof topic>).id}`;
    case 'runs.rows': {
      const { id, cycle, phase } = message as TopicMessage<typeof topic>;
      return `${topic} ${id} ${cycle} ${phase}`;
    }
    default:
      return topic;
  }
}
