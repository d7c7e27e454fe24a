/** Distributes what the main process publishes: services publish, the sessions of windows listen. */
import { topics, type TopicMessage, type TopicName } from '../../shared/contract/index.js';

type TopicListener = (topic: TopicName, message: unknown) => void;

export interface EventBus {
  /** Not parsed here: where it arrives, in another process, it is (shared/client). */
  publish<T extends TopicName>(topic: T, message: TopicMessage<T>): void;
  /** @returns ends it */
  listen(listener: TopicListener): () => void;
}

export function createEventBus(): EventBus {
  const listeners = new Set<TopicListener>();
  return {
    publish(topic, message) {
      for (const listener of [...listeners]) listener(topic, message);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const isTopic = (name: string): name is TopicName => Object.hasOwn(topics, name);
