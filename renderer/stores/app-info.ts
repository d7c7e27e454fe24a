/** Holds the version, and whether the window is the app's own or a browser's. */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Output } from '../../shared/contract/index.js';
import { useClient } from '../composables/useClient.js';

export const useAppInfo = defineStore('app-info', () => {
  const client = useClient();
  const info = shallowRef<Output<'app.info'> | null>(null);
  const load = async () => {
    const reply = await client.call('app.info', {});
    if (reply.ok) info.value = reply.value;
  };
  void load();
  return { info, load };
});
