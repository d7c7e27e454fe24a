/**
 * Imitates a main process in memory: answers every channel of the contract with realistic figures, so that the window
 * can be built, viewed and tested without one. It parses requests and replies as the real one does. Only development
 * builds and tests load it.
 */
import { verbatim } from '../../shared/messages/message.js';
import type { Transport } from '../../shared/client/index.js';
import {
  contract,
  type ChannelName,
  type Output,
  type ParsedInput,
  type Progress,
  type TopicMessage,
  type TopicName,
} from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import { createDemoHandlers, type DemoOptions } from './handlers.js';

export interface DemoCall<C extends ChannelName> {
  readonly progress: (progress: Progress<C>) => void;
  readonly cancelled: () => boolean;
}

export type DemoHandlers = {
  readonly [C in ChannelName]: (input: ParsedInput<C>, call: DemoCall<C>) => Output<C> | Promise<Output<C>>;
};

/** Thrown by a handler with the fault that the window shows. */
export class DemoFault extends Error {
  constructor(readonly fault: Fault) {
    super(plainEnglish(fault.message));
  }
}

export function createDemoTransport(options: DemoOptions = {}): Transport {
  const cancelled = new Set<number>();
  let send: ((raw: unknown) => void) | null = null;
  const publish = <T extends TopicName>(topic: T, message: TopicMessage<T>) =>
    send?.({ type: 'message', topic, message });
  const handlers = createDemoHandlers(options, publish);

  const answer = async (id: number, channel: string, input: unknown) => {
    const reply = (value: unknown) => send?.(structuredClone({ type: 'reply', id, reply: value }));
    try {
      const name = channel as ChannelName;
      const parsed = contract[name].input.parse(input);
      const handler = handlers[name] as (given: unknown, call: DemoCall<ChannelName>) => unknown;
      const value = await handler(parsed, {
        progress: (progress) => send?.(structuredClone({ type: 'progress', id, progress })),
        cancelled: () => cancelled.has(id),
      });
      reply({ ok: true, value: contract[name].output.parse(value) });
    } catch (error) {
      const fault: Fault =
        error instanceof DemoFault
          ? error.fault
          : {
              code: 'internal',
              message: verbatim(`${channel}: ${String(error)}`),
              hint: verbatim('The demonstration has a fault.'),
            };
      reply({ ok: false, fault });
    }
  };

  return {
    start(events) {
      if (options.scenario === 'disconnected') return;
      send = (raw) => events.message(raw);
      queueMicrotask(() => events.state('connected'));
    },
    send(message) {
      if (message.type === 'cancel') cancelled.add(message.id);
      if (message.type === 'call') void answer(message.id, message.channel, message.input);
    },
    close() {
      send = null;
    },
  };
}
