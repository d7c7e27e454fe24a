/** Holds every project with its state, updated by the main process. */
import { defineStore } from 'pinia';
import { computed, ref, shallowReactive, shallowRef } from 'vue';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from '../composables/useClient.js';

export const useProjects = defineStore('projects', () => {
  const client = useClient();
  const byId = shallowReactive(new Map<string, ProjectSummary>());
  const fault = shallowRef<Fault | null>(null);
  const loaded = ref(false);

  async function load() {
    const reply = await client.call('projects.list', {});
    loaded.value = true;
    fault.value = reply.ok ? null : reply.fault;
    if (!reply.ok) return;
    const there = new Set(reply.value.projects.map(({ id }) => id));
    for (const id of byId.keys()) if (!there.has(id)) byId.delete(id);
    for (const summary of reply.value.projects) byId.set(summary.id, summary);
  }

  client.subscribe('projects.changed', ({ id, summary }) => {
    if (summary) byId.set(id, summary);
    else byId.delete(id);
  });
  client.onState((state) => state === 'connected' && loaded.value && void load());
  void load();

  /** Running projects first, then the most recently changed. */
  const all = computed(() =>
    [...byId.values()].sort(
      (a, b) => rank(a) - rank(b) || Date.parse(b.changed) - Date.parse(a.changed) || a.name.localeCompare(b.name),
    ),
  );
  const get = (id: string) => byId.get(id) ?? null;

  /** The phase that each project is to end early, until another one runs. */
  const ending = shallowReactive(new Map<string, string>());
  const endPhase = (id: string) => ending.set(id, placeOf(byId.get(id)));
  const keepOn = (id: string) => ending.delete(id);
  const isEnding = (id: string) => ending.has(id) && ending.get(id) === placeOf(byId.get(id));
  return { all, get, fault, loaded, load, endPhase, keepOn, isEnding };
});

/** The phase and run of the project, as a string. */
const placeOf = (summary: ProjectSummary | undefined): string => {
  const { phase, cycle, name } = summary?.activity ?? {};
  return [summary?.state === 'paused' ? 'running' : summary?.state, phase, cycle, name].join();
};

const rank = ({ state }: ProjectSummary): number =>
  state === 'running' ? 0 : state === 'paused' ? 1 : state === 'queued' ? 2 : 3;
