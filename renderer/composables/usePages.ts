/**
 * A long list of which only the pages in sight are asked for: rows are numbered from 0, each page is fetched once, and
 * what is not there yet is undefined.
 */
import { onScopeDispose, ref, shallowReactive, watch } from 'vue';

const PAGE = 100;

export function usePages<T>(options: {
  /** Everything that decides which rows there are: when it changes, all is asked anew. */
  readonly key: () => string;
  readonly fetch: (
    offset: number,
    count: number,
  ) => Promise<{ readonly total: number; readonly rows: readonly T[] } | null>;
}) {
  const total = ref(0);
  const loaded = ref(false);
  const rows = shallowReactive(new Map<number, T>());
  const asked = new Set<number>();
  let version = 0;
  onScopeDispose(() => version++);

  async function fetchPage(page: number) {
    if (asked.has(page)) return;
    asked.add(page);
    const mine = version;
    const found = await options.fetch(page * PAGE, PAGE);
    if (mine !== version) return;
    loaded.value = true;
    if (!found) {
      asked.delete(page);
      return;
    }
    total.value = found.total;
    found.rows.forEach((row, at) => rows.set(page * PAGE + at, row));
  }

  /** Makes sure that rows `from` to `to` are on their way. */
  function need(from: number, to: number) {
    for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to - 1) / PAGE); page++)
      void fetchPage(page);
  }

  function restart() {
    version++;
    asked.clear();
    rows.clear();
    loaded.value = false;
    need(0, 1);
  }
  /**
   * What is new, without a moment in which nothing is there. For when the beginning of the list is in sight.
   * @param isRead whether somebody reads the list when the answer comes: it stays as it is then
   * @returns whether what is new is shown
   */
  async function refresh(isRead: () => boolean): Promise<boolean> {
    const mine = version;
    const found = await options.fetch(0, PAGE);
    if (mine !== version || !found || isRead()) return false;
    // Pages that were asked for before belong to another list.
    version++;
    asked.clear();
    asked.add(0);
    rows.clear();
    total.value = found.total;
    found.rows.forEach((row, at) => rows.set(at, row));
    return true;
  }
  watch(options.key, restart, { immediate: true });
  return { total, loaded, rows, need, refresh };
}
