/** Runs a composable as a component would, with a client whose other end is the test. */
import { createApp, effectScope } from 'vue';
import { afterEach } from 'vitest';
import { clientKey } from '../../../renderer/composables/useClient.js';
import { wire } from '../../shared/client/wire.js';

let scope = effectScope(true);
export function leave(): void {
  scope.stop();
  scope = effectScope(true);
}
afterEach(leave);

export function inScope<T>(use: () => T): T {
  const made = scope.run(use);
  if (made === undefined) throw new Error('the scope has ended');
  return made;
}

export function used<T>(use: () => T) {
  const { client, sent, message, state } = wire();
  state('connected');
  const app = createApp({}).provide(clientKey, client);
  const made = app.runWithContext(() => inScope(use));
  /** Calls in order, of one channel or of all. */
  const calls = (channel?: string) =>
    sent.flatMap((call) => (call.type === 'call' && call.channel === (channel ?? call.channel) ? [call] : []));
  /** Answers the last call, or another by its place. */
  const reply = (value: unknown, at = -1, channel?: string) => {
    const call = calls(channel).at(at);
    if (call === undefined) throw new Error(`no call ${channel ?? ''}`);
    message({ type: 'reply', id: call.id, reply: { ok: true, value } });
  };
  return { made, calls, reply, message, state };
}
