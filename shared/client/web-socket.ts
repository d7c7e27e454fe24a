/** A WebSocket as a transport: made again whenever it breaks, soon at first, then less often. */
import { parsedJson } from '../base/json.js';
import type { Transport, TransportEvents } from './transport.js';

/** What is used of a browser's WebSocket. */
interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'close', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

interface WebSocketOptions {
  /** Begins a connection, for example `() => new WebSocket(address)`. */
  readonly open: () => Socket;
  /** Milliseconds before the first new attempt, doubled for each next one. */
  readonly firstDelay?: number;
}

const LONGEST_DELAY = 5000;

export function createWebSocketTransport({ open, firstDelay = 250 }: WebSocketOptions): Transport {
  let socket: Socket | null = null;
  let events: TransportEvents | null = null;
  let delay = firstDelay;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let closed = false;

  const connect = () => {
    timer = null;
    const current = open();
    socket = current;
    current.addEventListener('open', () => {
      delay = firstDelay;
      events?.state('connected');
    });
    current.addEventListener('message', ({ data }) => {
      const message = typeof data === 'string' ? parsedJson(data) : undefined;
      if (message !== undefined) events?.message(message);
    });
    // A connection that could not be made closes as well.
    current.addEventListener('close', () => {
      if (socket !== current || closed) return;
      socket = null;
      events?.state('connecting');
      timer = setTimeout(connect, delay);
      delay = Math.min(LONGEST_DELAY, 2 * delay);
    });
  };

  return {
    start(listeners) {
      events = listeners;
      connect();
    },
    send: (message) => socket?.send(JSON.stringify(message)),
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      socket?.close();
      events?.state('closed');
    },
  };
}
