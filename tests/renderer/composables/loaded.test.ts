// What a screen shows: asked for, asked again, and no longer asked for.
import { createApp, effectScope, nextTick, ref } from 'vue';
import { afterEach, expect, it } from 'vitest';
import { clientKey } from '../../../renderer/composables/useClient.js';
import { useLoaded } from '../../../renderer/composables/useLoaded.js';
import { wire } from '../../shared/client/wire.js';

let scope = effectScope(true);
afterEach(() => {
  scope.stop();
  scope = effectScope(true);
});

function opened() {
  const { client, sent, message, state } = wire();
  state('connected');
  const app = createApp({});
  app.provide(clientKey, client);
  const folder = ref<string | null>('file_1');
  const input = () => (folder.value === null ? null : { folder: folder.value, purpose: 'text' as const });
  const loaded = app.runWithContext(() => scope.run(() => useLoaded('files.browse', input)));
  if (loaded === undefined) throw new Error('the scope has ended');
  const calls = () => sent.flatMap((one) => (one.type === 'call' ? [one] : []));
  const answer = async (at: number, here: string) => {
    const value = { here, parent: null, entries: [] };
    message({ type: 'reply', id: calls()[at]?.id ?? -1, reply: { ok: true, value } });
    await nextTick();
  };
  return { folder, loaded, calls, answer, state };
}

it('has the answer to the last question, whichever comes first', async () => {
  const { folder, loaded, answer } = opened();
  folder.value = 'file_2';
  await nextTick();
  await answer(1, 'second');
  await answer(0, 'first');
  expect(loaded.value.value?.here).toBe('second');
});

it('is not loading any more once nothing is asked', async () => {
  const { folder, loaded, answer } = opened();
  expect(loaded.loading.value).toBe(true);
  folder.value = null;
  await nextTick();
  await answer(0, 'too late');
  expect([loaded.loading.value, loaded.value.value]).toEqual([false, null]);
});

it('asks anew when the connection is back, also for what was lost with it', async () => {
  const { loaded, calls, answer, state } = opened();
  state('connecting');
  await nextTick();
  await nextTick();
  expect(loaded.fault.value?.code).toBe('disconnected');
  state('connected');
  await nextTick();
  expect(calls()).toHaveLength(2);
  await answer(1, 'there');
  expect([loaded.fault.value, loaded.value.value?.here]).toEqual([null, 'there']);
});
