/** What carries messages to the main process and back: Electron's port or a WebSocket. The client needs no more. */
import type { ClientMessage } from './messages.js';

/** `connecting` at first and after a loss, while it is being tried again. */
export type ConnectionState = 'connecting' | 'connected' | 'closed';

export interface TransportEvents {
  /** A message as it arrived, not parsed. */
  message(raw: unknown): void;
  state(state: ConnectionState): void;
}

export interface Transport {
  /** Called once, before anything is sent. */
  start(events: TransportEvents): void;
  /** Only while connected. */
  send(message: ClientMessage): void;
  close(): void;
}
