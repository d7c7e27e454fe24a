/**
 * What main/preload puts into the app's page as `window.verisim`, and the names under which it speaks with the main
 * process. There is nothing else: no Node, no paths.
 */
import type { Reply } from '../contract/channel.js';
import type { FileInfo } from '../contract/values.js';
import type { Transport } from './transport.js';

export interface Bridge {
  readonly transport: Transport;
  /**
   * The files that the person dropped last, as handles; each drop is given out once. Called from the page's own `drop`
   * listener. What was not dropped by a person has no path, and comes to nothing.
   */
  takeDropped(): Promise<Reply<readonly FileInfo[]>>;
}

/** Electron's channels beneath the contract. */
export const bridgeChannels = {
  /** Both ways: messages of shared/client/messages.ts. */
  message: 'verisim:message',
  /** To main, after each message that arrived: how it knows that the page keeps up. */
  taken: 'verisim:taken',
  /** To main, asked: paths of dropped files; answered with handles. */
  dropped: 'verisim:dropped',
} as const;

/** Nobody drops more at once. */
export const mostDropped = 10_000;
