/** Holds the projects being set up. */
import { defineStore } from 'pinia';
import { ref } from 'vue';
import type { Draft } from '../../shared/contract/drafts.js';
import { useClient } from '../composables/useClient.js';

export const useDrafts = defineStore('drafts', () => {
  const client = useClient();
  const drafts = ref<readonly Draft[]>([]);

  async function load() {
    const reply = await client.call('drafts.list', {});
    if (reply.ok) drafts.value = [...reply.value.drafts].sort((a, b) => Date.parse(b.changed) - Date.parse(a.changed));
  }

  client.onState((state) => state === 'connected' && void load());
  return { drafts, load };
});
