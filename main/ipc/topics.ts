/** What the main process tells without being asked: services publish, the sessions of windows listen. */
import { topics, type TopicMessage, type TopicName } from '../../shared/contract/index.js';

export type TopicListener = (topic: TopicName, message: unknown) => void;

export interface Hub {
  /** Parsed by the contract; a message that breaks it throws: that is a bug of the one who publishes. */
  publish<T extends TopicName>(topic: T, message: TopicMessage<T>): void;
  /** @returns ends it */
  listen(listener: TopicListener): () => void;
}

export function createHub(): Hub {
  const listeners = new Set<TopicListener>();
  return {
    publish(topic, message) {
      if (listeners.size === 0) return;
      const parsed = topics[topic].parse(message);
      for (const listener of [...listeners]) listener(topic, parsed);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const isTopic = (name: string): name is TopicName => Object.hasOwn(topics, name);
