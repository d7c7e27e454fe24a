/**
 * The contract as functions: what the window calls, whatever lies between it and the main process. Errors are values:
 * a call always comes to a reply, also when the connection breaks.
 */
import type { z } from 'zod';
import {
  contract,
  topics,
  type ChannelName,
  type Input,
  type Output,
  type Progress,
  type Reply,
  type TopicMessage,
  type TopicName,
} from '../contract/index.js';
import { stopped, type Fault } from '../errors.js';
import { localized } from '../messages/message.js';
import { serverMessageSchema, type ClientMessage, type ServerMessage } from './messages.js';
import type { ConnectionState, Transport } from './transport.js';

export interface CallOptions<C extends ChannelName> {
  readonly onProgress?: (progress: Progress<C>) => void;
  /** Cancels the work; the reply says what came of it. */
  readonly signal?: AbortSignal;
}

export interface Client {
  /** Never rejects. A call made before the connection is open waits for it. */
  call<C extends ChannelName>(channel: C, input: Input<C>, options?: CallOptions<C>): Promise<Reply<Output<C>>>;
  /**
   * Survives a lost connection; messages published meanwhile are not repeated.
   * @returns ends the subscription
   */
  subscribe<T extends TopicName>(topic: T, listener: (message: TopicMessage<T>) => void): () => void;
  readonly state: ConnectionState;
  /**
   * Called when the connection changes: after a loss, `connected` is the moment to request everything again.
   * @returns removes the listener
   */
  onState(listener: (state: ConnectionState) => void): () => void;
  close(): void;
}

interface Pending {
  readonly message: ClientMessage;
  sent: boolean;
  progress(value: unknown): void;
  settle(reply: Reply<unknown>): void;
}

const lost: Fault = {
  code: 'disconnected',
  message: localized('client.lost'),
  hint: localized('client.lost.hint'),
};
const invalid: Fault = {
  code: 'internal',
  message: localized('client.invalid'),
  hint: localized('client.invalid.hint'),
};

export function createClient(transport: Transport): Client {
  const pending = new Map<number, Pending>();
  const subscriptions = createSubscriptions((message) => state === 'connected' && transport.send(message));
  const stateListeners = new Set<(state: ConnectionState) => void>();
  let state: ConnectionState = 'connecting';
  let nextId = 0;

  const transmit = (call: Pending) => {
    call.sent = true;
    transport.send(call.message);
  };
  const fail = (isFailed: (call: Pending) => boolean) => {
    for (const call of [...pending.values()].filter(isFailed)) call.settle({ ok: false, fault: lost });
  };

  const onMessage = (message: ServerMessage) => {
    if (message.type === 'message') return subscriptions.publish(message.topic as TopicName, message.message);
    const call = pending.get(message.id);
    if (message.type === 'progress') call?.progress(message.progress);
    else call?.settle(message.reply);
  };

  transport.start({
    message(raw) {
      const parsed = serverMessageSchema.safeParse(raw);
      if (parsed.success) onMessage(parsed.data);
    },
    state(now) {
      if (now === state) return;
      state = now;
      if (now === 'connected') {
        subscriptions.again();
        for (const call of pending.values()) transmit(call);
      } else fail(({ sent }) => sent || now === 'closed');
      for (const listener of [...stateListeners]) listener(now);
    },
  });

  return {
    call: (channel, input, { onProgress, signal } = {}) =>
      new Promise((resolve) => {
        const { output, progress } = contract[channel];
        const id = nextId++;
        const cancel = () => {
          const call = pending.get(id);
          if (call?.sent) transport.send({ type: 'cancel', id });
          else call?.settle({ ok: false, fault: stopped });
        };
        const call: Pending = {
          message: { type: 'call', id, channel, input },
          sent: false,
          progress(value) {
            const parsed = signal?.aborted ? null : progress?.safeParse(value); // or it would seem to go on
            if (parsed?.success) onProgress?.(parsed.data as Progress<typeof channel>);
          },
          settle(reply) {
            pending.delete(id);
            signal?.removeEventListener('abort', cancel);
            resolve(checked(output, reply) as Reply<Output<typeof channel>>);
          },
        };
        pending.set(id, call);
        if (state === 'closed') call.settle({ ok: false, fault: lost });
        else if (signal?.aborted) call.settle({ ok: false, fault: stopped });
        else {
          signal?.addEventListener('abort', cancel);
          if (state === 'connected') transmit(call);
        }
      }),
    subscribe: subscriptions.add,
    get state() {
      return state;
    },
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    close: () => transport.close(),
  };
}

/** The listeners of each topic; the other side learns of the first and the last of each. */
function createSubscriptions(send: (message: ClientMessage) => void) {
  const listeners = new Map<TopicName, Set<(message: unknown) => void>>();
  return {
    add<T extends TopicName>(topic: T, listener: (message: TopicMessage<T>) => void) {
      const those = listeners.get(topic) ?? new Set();
      const mine = (message: unknown) => listener(message as TopicMessage<T>);
      if (those.size === 0) {
        listeners.set(topic, those);
        send({ type: 'subscribe', topic });
      }
      those.add(mine);
      return () => {
        if (!those.delete(mine) || those.size > 0) return;
        listeners.delete(topic);
        send({ type: 'unsubscribe', topic });
      };
    },
    /** To a connection that is new. */
    again() {
      for (const topic of listeners.keys()) send({ type: 'subscribe', topic });
    },
    publish(topic: TopicName, message: unknown) {
      const parsed = Object.hasOwn(topics, topic) ? topics[topic].safeParse(message) : null;
      if (parsed?.success) for (const listener of [...(listeners.get(topic) ?? [])]) listener(parsed.data);
    },
  };
}

/** The value as the contract has it. */
function checked(output: z.ZodType, reply: Reply<unknown>): Reply<unknown> {
  if (!reply.ok) return reply;
  const parsed = output.safeParse(reply.value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, fault: invalid };
}
