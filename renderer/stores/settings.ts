/** Holds the app's settings, which the main process stores; the window applies a change at once. */
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { defaultSettings, type Settings } from '../../shared/contract/machine.js';
import { useClient } from '../composables/useClient.js';

export const useSettings = defineStore('settings', () => {
  const client = useClient();
  const values = ref<Settings>({ ...defaultSettings });

  async function load() {
    const reply = await client.call('settings.get', {});
    if (reply.ok) values.value = reply.value;
  }

  async function change(changes: Partial<Settings>) {
    values.value = { ...values.value, ...changes };
    const reply = await client.call('settings.set', changes);
    if (reply.ok) values.value = reply.value;
    else await load();
    return reply;
  }

  client.subscribe('settings.changed', (changed) => (values.value = changed));
  client.onState((state) => state === 'connected' && void load());
  const loaded = load();
  return { values, change, loaded };
});
