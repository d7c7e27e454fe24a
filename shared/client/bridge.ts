/**
 * What main/preload puts into the app's page as `window.verisim`, and the names under which it speaks with the main
 * process. There is nothing else: no Node, no paths.
 */
import type { Reply } from '../contract/channel.js';
import type { FileInfo } from '../contract/values.js';
import type { ClientMessage } from './messages.js';
import type { Transport } from './transport.js';

export interface Bridge {
  readonly transport: Transport;
  /**
   * The files that the person dropped last, as handles; each drop is given out once. Called from the page's own `drop`
   * listener. What was not dropped by a person has no path, and comes to nothing.
   */
  takeDropped(): Promise<Reply<readonly FileInfo[]>>;
}

/**
 * The bridge as the client's transport. What a page holds may be more than its values (Vue's reactive objects are), which
 * Electron refuses to carry over: messages go as JSON would have them, the same as through a WebSocket.
 */
export const bridgeTransport = ({ transport }: Pick<Bridge, 'transport'>): Transport => ({
  start: (events) => transport.start(events),
  send: (message) => transport.send(JSON.parse(JSON.stringify(message)) as ClientMessage),
  close: () => transport.close(),
});

/** Electron's channels beneath the contract. */
export const bridgeChannels = {
  /** Both ways: messages of shared/client/messages.ts. */
  message: 'verisim:message',
  /** To main, after each message that arrived: how it knows that the page keeps up. */
  taken: 'verisim:taken',
  /** Request to main: paths of dropped files; answered with handles. */
  dropped: 'verisim:dropped',
} as const;

/** Maximum number of files in one drop. */
export const MAX_DROPPED = 10_000;
