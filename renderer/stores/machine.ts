/** Holds the training computer's hardware and speed, and whether the window can reach it. */
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { Machine } from '../../shared/contract/machine.js';
import type { ConnectionState } from '../../shared/client/index.js';
import { useClient } from '../composables/useClient.js';

export const useMachine = defineStore('machine', () => {
  const client = useClient();
  const machine = shallowRef<Machine | null>(null);
  const connection = ref<ConnectionState>(client.state);
  /** False until the first connection: until then the window is starting, and no connection was lost. */
  const wasConnected = ref(client.state === 'connected');

  async function load() {
    const reply = await client.call('machine.describe', {});
    if (reply.ok) machine.value = reply.value;
  }

  client.onState((state) => {
    connection.value = state;
    if (state !== 'connected') return;
    wasConnected.value = true;
    void load();
  });
  client.subscribe('machine.changed', (changed) => (machine.value = changed));
  void load();
  return { machine, connection, wasConnected };
});
