/** Serves one window: its calls, their progress and its topics; independent of the transport. */
import { localized } from '../../shared/messages/message.js';
import type { Reply, TopicName } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { clientMessageSchema, type ServerMessage } from '../../shared/client/messages.js';
import type { Caller } from './caller.js';
import type { Dispatcher } from './dispatcher.js';
import { createOutbox } from './outbox.js';
import { createRate } from './rate.js';
import { isTopic, type EventBus } from '../services/event-bus.js';

interface SessionOptions {
  readonly dispatcher: Dispatcher;
  readonly bus: EventBus;
  readonly caller: Caller;
  send(message: ServerMessage): void;
  /** False while the transport holds enough that has not been taken; topics then wait. Left out: always true. */
  isReady?(): boolean;
}

/** No window of ours has so many calls open at once. */
const MAX_CALLS = 64;
/** Limit of calls, faster than a user clicks or a page draws. */
const limits = { perSecond: 100, burst: 500 };

const tooMany: Fault = {
  code: 'busy',
  message: localized('ipc.too_much_asked_once'),
  hint: localized('ipc.wait_answers_asked_before'),
};

export type Session = ReturnType<typeof createSession>;

export function createSession({ dispatcher, bus, caller, send, isReady = () => true }: SessionOptions) {
  const calls = new Map<number, AbortController>();
  const subscribed = new Set<TopicName>();
  const rate = createRate(limits.perSecond, limits.burst);
  let open = true;
  const deliver = (message: ServerMessage) => {
    if (open) send(message);
  };
  const outbox = createOutbox({ send: (topic, message) => deliver({ type: 'message', topic, message }), isReady });
  const unlisten = bus.listen((topic, message) => {
    if (subscribed.has(topic)) outbox.push(topic, message);
  });

  const call = async (id: number, channel: string, input: unknown): Promise<void> => {
    const reply = (answer: Reply<unknown>) => deliver({ type: 'reply', id, reply: answer });
    if (!rate.take() || calls.size >= MAX_CALLS || calls.has(id)) {
      reply({ ok: false, fault: tooMany });
      return;
    }
    const controller = new AbortController();
    calls.set(id, controller);
    // A slow window gets no progress.
    const onProgress = (progress: unknown) => {
      if (calls.get(id) === controller && isReady()) deliver({ type: 'progress', id, progress });
    };
    const answer = await dispatcher.dispatch(channel, input, caller, { signal: controller.signal, onProgress });
    calls.delete(id);
    reply(answer);
  };

  return {
    /** @returns false when the message is not one of the protocol: the other side is broken, or is no window of ours */
    receive(raw: unknown) {
      const parsed = clientMessageSchema.safeParse(raw);
      if (!parsed.success) return false;
      const message = parsed.data;
      switch (message.type) {
        case 'call':
          void call(message.id, message.channel, message.input);
          return true;
        case 'cancel':
          calls.get(message.id)?.abort();
          return true;
        case 'subscribe':
          if (isTopic(message.topic)) subscribed.add(message.topic);
          return isTopic(message.topic);
        case 'unsubscribe':
          if (isTopic(message.topic)) subscribed.delete(message.topic);
          return isTopic(message.topic);
      }
    },
    flush: () => outbox.flush(),
    /** The window is gone: its calls are cancelled. */
    close() {
      open = false;
      unlisten();
      for (const controller of calls.values()) controller.abort();
    },
  };
}
