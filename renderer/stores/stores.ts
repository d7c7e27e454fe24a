/** State of the main process, as the page last heard of it. */
import { defineStore } from 'pinia';
import { ref, shallowRef, computed, shallowReactive } from 'vue';
import { labelIn, placesOf } from '../../shared/base/labels.js';
import type { ConnectionState } from '../../shared/client/index.js';
import type { Draft } from '../../shared/contract/drafts.js';
import type { Output } from '../../shared/contract/index.js';
import { defaultSettings, type Settings, type Machine } from '../../shared/contract/machine.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { Queue } from '../../shared/contract/runs.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from '../composables/useClient.js';
import type { ProjectQuery } from '../project/project.js';

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

export const useProjects = defineStore('projects', () => {
  const client = useClient();
  const byId = shallowReactive(new Map<string, ProjectSummary>());
  const fault = shallowRef<Fault | null>(null);
  const loaded = ref(false);
  /** Projects that changed while the list is loaded: what was read of them before is outdated. */
  const changedSince = new Set<string>();

  const put = (read: readonly ProjectSummary[]) => {
    for (const summary of read) if (!changedSince.has(summary.id)) byId.set(summary.id, summary);
  };
  async function load() {
    changedSince.clear();
    const onProgress = ({ projects }: { readonly projects: readonly ProjectSummary[] }) => {
      put(projects);
      loaded.value = true;
    };
    const reply = await client.call('projects.list', {}, { onProgress });
    loaded.value = true;
    fault.value = reply.ok ? null : reply.fault;
    if (!reply.ok) return;
    const there = new Set(reply.value.projects.map(({ id }) => id));
    for (const id of byId.keys()) if (!there.has(id) && !changedSince.has(id)) byId.delete(id);
    put(reply.value.projects);
  }

  client.subscribe('projects.changed', ({ id, summary }) => {
    changedSince.add(id);
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
  /** The differing ends of the folders of projects of one name, by their ids. */
  const places = computed(() => placesOf([...byId.values()]));
  const labelOf = (id: string) => labelIn(places.value, id, byId.get(id)?.name ?? '');

  /** How the start page lists them; it stays while other pages are open. */
  const query = ref<ProjectQuery>({ typed: '', group: 'all', sort: 'changed', descending: true });

  /** The phase that each project is to end early, until another one runs. */
  const ending = shallowReactive(new Map<string, string>());
  const endPhase = (id: string) => ending.set(id, placeOf(byId.get(id)));
  const keepOn = (id: string) => ending.delete(id);
  const isEnding = (id: string) => ending.has(id) && ending.get(id) === placeOf(byId.get(id));
  return { all, get, query, places, labelOf, fault, loaded, load, endPhase, keepOn, isEnding };
});

/** The phase and run of the project, as a string. */
const placeOf = (summary: ProjectSummary | undefined): string => {
  const { phase, cycle, name } = summary?.activity ?? {};
  return [summary?.state === 'paused' ? 'running' : summary?.state, phase, cycle, name].join();
};

const rank = ({ state }: ProjectSummary): number =>
  state === 'running' ? 0 : state === 'paused' ? 1 : state === 'queued' ? 2 : 3;

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
