/** Holds the queue: the training project, the waiting ones, and those interrupted when the app was closed. */
import { defineStore } from 'pinia';
import { ref } from 'vue';
import type { Queue } from '../../shared/contract/runs.js';
import { useClient } from '../composables/useClient.js';

export const useQueue = defineStore('queue', () => {
  const client = useClient();
  const queue = ref<Queue>({ entries: [], interrupted: [] });

  const load = async () => {
    const reply = await client.call('queue.get', {});
    if (reply.ok) queue.value = reply.value;
  };

  client.subscribe('queue.changed', (update) => (queue.value = update));
  client.onState((state) => state === 'connected' && void load());
  void load();
  return { queue };
});
