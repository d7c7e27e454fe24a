/** Every project with its state, kept up to date by what the main process tells. */
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from '../composables/useClient.js';

export const useProjects = defineStore('projects', () => {
  const client = useClient();
  const byId = ref(new Map<string, ProjectSummary>());
  const fault = shallowRef<Fault | null>(null);
  const loaded = ref(false);

  async function load() {
    const reply = await client.call('projects.list', {});
    loaded.value = true;
    fault.value = reply.ok ? null : reply.fault;
    if (reply.ok) byId.value = new Map(reply.value.projects.map((summary) => [summary.id, summary]));
  }

  client.subscribe('projects.changed', ({ id, summary }) => {
    if (summary) byId.value.set(id, summary);
    else byId.value.delete(id);
  });
  client.onState((state) => state === 'connected' && loaded.value && void load());
  void load();

  /** What runs first, then what was touched last. */
  const all = computed(() =>
    [...byId.value.values()].sort(
      (a, b) => rank(a) - rank(b) || Date.parse(b.changed) - Date.parse(a.changed) || a.name.localeCompare(b.name),
    ),
  );
  const get = (id: string) => byId.value.get(id) ?? null;
  return { all, get, fault, loaded, load };
});

const rank = ({ state }: ProjectSummary): number =>
  state === 'running' ? 0 : state === 'paused' ? 1 : state === 'queued' ? 2 : 3;
