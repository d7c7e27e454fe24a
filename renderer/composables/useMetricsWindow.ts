/**
 * A window of some series, as many points as there is room for: the server thins them so that extremes stay. While a
 * project runs it is asked anew about once a second, but never while someone reads (`held`) or where nobody can (`unseen`):
 * what is new waits.
 */
import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { Series } from '../../shared/contract/projects.js';
import type { PhaseName } from '../../shared/events.js';
import { useClient } from './useClient.js';

export interface MetricsPlace {
  readonly project: string;
  readonly cycle: number;
  readonly phase: PhaseName;
}

const REFRESH_MILLISECONDS = 1000;

export function useMetricsWindow(options: {
  readonly place: () => MetricsPlace;
  readonly names: () => readonly string[];
  readonly range: () => readonly [number, number] | null;
  readonly points: () => number;
  readonly held: () => boolean;
  readonly unseen: () => boolean;
}) {
  const client = useClient();
  const series = shallowRef<Readonly<Record<string, Series>>>({});
  const lastStep = ref(0);
  const loaded = ref(false);
  /** Something new is there and waits until it may be shown. */
  const waiting = ref(false);
  /** The same, where it is not seen. */
  let outdated = false;
  const isEmpty = computed(() => Object.values(series.value).every(({ steps }) => steps.length === 0));
  /** Where nothing is yet there is nothing to read, wherever the pointer happens to lie. */
  const held = () => options.held() && !isEmpty.value;
  /** Nor is what is empty looked for only where it is seen: it may be out of sight because it is empty. */
  const unseen = () => options.unseen() && !isEmpty.value;
  let latest = 0;

  async function ask(points: number) {
    const { project: id, cycle, phase } = options.place();
    const [from, to] = options.range() ?? [null, null];
    return client.call('metrics.window', { id, cycle, phase, names: [...options.names()], from, to, points });
  }

  /** @param isLive because something new is there, not because somebody wants to see something else */
  async function load(isLive: boolean) {
    const mustWait = () => isLive && held();
    if (mustWait()) {
      waiting.value = true;
      return;
    }
    outdated = isLive && unseen();
    if (outdated) return;
    const mine = ++latest;
    const reply = await ask(Math.max(2, Math.min(5000, Math.round(options.points()))));
    if (mine !== latest) return;
    loaded.value = true;
    if (!reply.ok) return;
    // Asked before one began to read, answered after: it waits like everything new.
    if (mustWait()) {
      waiting.value = true;
      return;
    }
    series.value = reply.value.series;
    lastStep.value = reply.value.last_step;
    waiting.value = false;
  }

  const refresh = useThrottleFn(() => load(true), REFRESH_MILLISECONDS, true);
  const changed = () => {
    if (held()) waiting.value = true;
    // Steps outside of what is in sight change nothing of it.
    else if (options.range() === null) void refresh();
  };

  watch(
    () => JSON.stringify([options.place(), options.names(), options.range()]),
    () => load(false),
    { immediate: true },
  );
  watch(held, (now) => !now && waiting.value && void load(false));
  watch(unseen, (now) => !now && outdated && void load(true), { flush: 'sync' });
  onScopeDispose(
    client.subscribe('runs.events', ({ id, events }) => {
      const { project, phase } = options.place();
      if (id === project && events.some((event) => event.event === 'metrics' && event.phase === phase)) changed();
    }),
  );
  onScopeDispose(client.onState((state) => state === 'connected' && void load(true)));

  /** Everything in sight at the finest that is handed out, for a file. */
  const forExport = async () => {
    const reply = await ask(5000);
    return reply.ok ? reply.value.series : series.value;
  };
  return { series, isEmpty, lastStep, loaded, waiting, forExport };
}
