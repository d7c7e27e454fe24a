/**
 * Loads a long list page by page as rows come into sight. Rows are numbered from 0, each page is fetched once, and rows
 * not loaded yet are undefined.
 */
import { onScopeDispose, ref, shallowReactive, watch } from 'vue';

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
