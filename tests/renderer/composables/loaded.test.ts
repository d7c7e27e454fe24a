/** What a screen shows: requested, requested again, and no longer requested. */
import { nextTick, ref } from 'vue';
import { expect, it } from 'vitest';
import { useLoaded } from '../../../renderer/composables/useLoaded.js';
import { used } from './used.js';

function opened() {
  const folder = ref<string | null>('file_1');
  const input = () => (folder.value === null ? null : { folder: folder.value, purpose: 'text' as const });
  const { made: loaded, calls, reply, state } = used(() => useLoaded('files.browse', input));
  const answer = (at: number, here: string) => {
    reply({ here, parent: null, entries: [] }, at);
    return nextTick();
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

it('stops loading once nothing is requested', async () => {
  const { folder, loaded, answer } = opened();
  expect(loaded.loading.value).toBe(true);
  folder.value = null;
  await nextTick();
  await answer(0, 'too late');
  expect([loaded.loading.value, loaded.value.value]).toEqual([false, null]);
});

it('repeats requests when the connection returns', async () => {
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
