/** Loads the content of a screen, whole or page by page. */
import { onScopeDispose, ref, shallowRef, watch, type ShallowRef, shallowReactive } from 'vue';
import type { ChannelName, Input, Output } from '../../shared/contract/index.js';
import type { Fault } from '../../shared/errors.js';
import { useClient } from './useClient.js';

interface Loaded<T> {
  readonly value: ShallowRef<T | null>;
  readonly fault: ShallowRef<Fault | null>;
  readonly loading: Readonly<ShallowRef<boolean>>;
  readonly reload: () => Promise<void>;
}

/** @param input the request; null sends none yet */
export function useLoaded<C extends ChannelName>(channel: C, input: () => Input<C> | null): Loaded<Output<C>> {
  const client = useClient();
  const value = shallowRef(null) as ShallowRef<Output<C> | null>;
  const fault = shallowRef<Fault | null>(null);
  const loading = ref(false);
  let latest = 0;

  async function reload() {
    const given = input();
    const mine = ++latest;
    loading.value = given !== null;
    if (given === null) {
      value.value = null;
      return;
    }
    const reply = await client.call(channel, given);
    // A later request has been sent meanwhile: its answer counts.
    if (mine !== latest) return;
    loading.value = false;
    if (reply.ok) {
      value.value = reply.value;
      fault.value = null;
    } else if (reply.fault.code !== 'stopped') fault.value = reply.fault;
  }

  watch(() => JSON.stringify(input()), reload, { immediate: true });
  onScopeDispose(
    client.onState((state) => state === 'connected' && (value.value ?? fault.value) !== null && void reload()),
  );
  return { value, fault, loading, reload };
}

const PAGE = 100;

export function usePages<T>(options: {
  /** Everything that determines the rows: a change reloads all pages. */
  readonly key: () => string;
  readonly fetch: (
    offset: number,
    count: number,
  ) => Promise<{ readonly total: number; readonly rows: readonly T[] } | null>;
}) {
  const total = ref(0);
  const loaded = ref(false);
  const rows = shallowReactive(new Map<number, T>());
  const requested = new Set<number>();
  let version = 0;
  onScopeDispose(() => version++);

  async function fetchPage(page: number) {
    if (requested.has(page)) return;
    requested.add(page);
    const mine = version;
    const found = await options.fetch(page * PAGE, PAGE);
    if (mine !== version) return;
    loaded.value = true;
    if (!found) {
      requested.delete(page);
      return;
    }
    total.value = found.total;
    found.rows.forEach((row, at) => rows.set(page * PAGE + at, row));
  }

  /** Requests the pages of rows `from` to `to`. */
  function need(from: number, to: number) {
    for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to - 1) / PAGE); page++)
      void fetchPage(page);
  }

  function restart() {
    version++;
    requested.clear();
    rows.clear();
    loaded.value = false;
    need(0, 1);
  }
  /**
   * Replaces the list with its present rows, without an empty moment. Meant for when the beginning of the list is in
   * sight.
   * @param isRead whether the user reads the list when the answer arrives: it stays unchanged then
   * @returns whether the new rows are shown
   */
  async function refresh(isRead: () => boolean): Promise<boolean> {
    const mine = version;
    const found = await options.fetch(0, PAGE);
    if (mine !== version || !found || isRead()) return false;
    // Pages requested before belong to another list.
    version++;
    requested.clear();
    requested.add(0);
    rows.clear();
    total.value = found.total;
    found.rows.forEach((row, at) => rows.set(at, row));
    return true;
  }
  watch(options.key, restart, { immediate: true });
  return { total, loaded, rows, need, refresh };
}
