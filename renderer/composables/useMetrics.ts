/** Loads series of metrics: a window of steps, thinned to the room there is, or one value per cycle. */
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { ChartAxis } from '../../shared/base/axes.js';
import type { Client } from '../../shared/client/index.js';
import type { Series } from '../../shared/contract/projects.js';
import type { WholeLine, PhaseName } from '../../shared/phases/index.js';
import { useClient } from './useClient.js';

export interface MetricsPlace {
  readonly project: string;
  readonly cycle: number;
  readonly phase: PhaseName;
}

/** One of several runs drawn over each other; its series are called by its key and their name. */
export interface ChartSource {
  readonly key: string;
  readonly label: string;
  readonly colour: WholeLine['colour'];
  readonly dashed: boolean;
  readonly place: MetricsPlace;
}

/** Milliseconds. */
const BETWEEN_MOVES = 200;

interface Shown {
  readonly places: () => readonly Pick<ChartSource, 'key' | 'place'>[];
  readonly names: () => readonly string[];
  /** Omit for steps. */
  readonly axis?: () => ChartAxis;
  /** In units of that axis. */
  readonly range: () => readonly [number, number] | null;
}

interface MetricsWindowOptions extends Shown {
  readonly points: () => number;
  readonly held: () => boolean;
  readonly unseen: () => boolean;
}

/** @returns null if none of the runs answers */
async function askWindow(client: Client, { places, names, axis: over, range }: Shown, points: number) {
  const [from, to] = range() ?? [null, null];
  const axis = over?.() ?? 'step';
  const replies = await Promise.all(
    places().map(async ({ key, place: { project: id, cycle, phase } }) => ({
      key,
      reply: await client.call('metrics.window', { id, cycle, phase, names: [...names()], axis, from, to, points }),
    })),
  );
  const found = replies.flatMap(({ key, reply }) => (reply.ok ? [{ key, ...reply.value }] : []));
  if (found.length === 0) return null;
  return {
    series: Object.fromEntries(
      found.flatMap(({ key, series }) => Object.entries(series).map(([name, points]) => [`${key}${name}`, points])),
    ),
    last_step: Math.max(...found.map(({ last_step }) => last_step)),
    axis,
    unplaced: found.flatMap(({ key, unplaced }) => (unplaced > 0 ? [key] : [])),
  };
}

const hasPlace = (places: ReturnType<Shown['places']>, { id, cycle, phase }: Rows): boolean =>
  places.some(({ place }) => id === place.project && cycle === place.cycle && phase === place.phase);
type Rows = { readonly id: string } & Pick<MetricsPlace, 'cycle' | 'phase'>;

/** Runs the work once for all calls that arrive during it and a pause afterwards. */
function oneAtATime(work: () => Promise<void>, pause: number): () => void {
  let [wanted, busy] = [false, false];
  onScopeDispose(() => (wanted = false));
  async function run() {
    if (busy) return;
    busy = true;
    while (wanted) {
      wanted = false;
      await work();
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    busy = false;
  }
  return () => {
    wanted = true;
    void run();
  };
}

/** New rows reload the window, except while the user reads (`held`) or it is hidden (`unseen`). */
export function useMetricsWindow(options: MetricsWindowOptions) {
  const client = useClient();
  const series = shallowRef<Readonly<Record<string, Series>>>({});
  const lastStep = ref(0);
  /** The axis of the loaded series, and the keys of runs with series that lack a position on it. */
  const axis = ref<ChartAxis>('step');
  const unplaced = shallowRef<readonly string[]>([]);
  const loaded = ref(false);
  /** New rows wait until they may be shown. */
  const waiting = ref(false);
  /** Reload later: for new rows ("live") or a changed request ("wanted"), while hidden or loading. */
  let outdated: 'no' | 'live' | 'wanted' = 'no';
  let asking = false;
  const isEmpty = computed(() => Object.values(series.value).every(({ steps }) => steps.length === 0));
  /** An empty chart has nothing to read, wherever the pointer is. */
  const held = () => options.held() && !isEmpty.value;
  /** An empty chart loads even if hidden: it may be hidden because it is empty. */
  const unseen = () => options.unseen() && !isEmpty.value;
  let latest = 0;

  const ask = (points: number) => askWindow(client, options, points);
  /** @param isLive whether new rows are the reason, not the user's request */
  async function load(isLive: boolean) {
    const mustWait = () => isLive && held();
    if (mustWait()) {
      waiting.value = true;
      return;
    }
    // Do not start a request while one is in flight.
    if (unseen() || (isLive && asking)) {
      outdated = isLive && outdated !== 'wanted' ? 'live' : 'wanted';
      return;
    }
    outdated = 'no';
    const mine = ++latest;
    asking = true;
    const reply = await ask(Math.max(2, Math.min(5000, Math.round(options.points()))));
    if (mine !== latest) return;
    asking = false;
    loaded.value = true;
    // Sent before the user began to read and answered after: it waits like other new rows.
    if (mustWait()) waiting.value = true;
    else if (reply !== null) {
      series.value = reply.series;
      lastStep.value = reply.last_step;
      axis.value = reply.axis;
      unplaced.value = reply.unplaced;
      waiting.value = false;
    }
    loadOutdated();
  }
  const loadOutdated = () => {
    if (outdated !== 'no' && !unseen()) void load(outdated === 'live');
  };
  const move = oneAtATime(() => load(false), BETWEEN_MOVES);

  const changed = () => {
    if (held()) waiting.value = true;
    // Steps outside the visible range change nothing in it.
    else if (options.range() === null) void load(true);
  };

  const wanted = () => JSON.stringify([options.places(), options.names(), options.axis?.()]);
  watch(
    [wanted, () => options.range()?.join()],
    ([now], [before]) => {
      if (now === before) move();
      else void load(false);
    },
    { immediate: true },
  );
  watch(held, (now) => !now && waiting.value && void load(false));
  watch(unseen, loadOutdated, { flush: 'sync' });
  onScopeDispose(client.subscribe('runs.rows', (rows) => hasPlace(options.places(), rows) && changed()));
  onScopeDispose(client.onState((state) => state === 'connected' && void load(true)));

  /** Loads everything in sight at the finest resolution, for a file. */
  const forExport = async () => (await ask(5000))?.series ?? series.value;
  return { series, isEmpty, lastStep, axis, unplaced, loaded, waiting, forExport };
}

/** Number of steps to average; a single one is noisy. */
const LAST = 5;

interface CycleMetrics {
  readonly id: string;
  readonly phase: PhaseName;
  readonly names: readonly string[];
  readonly cycles: readonly number[];
}

/** @returns the value of a metric in a cycle; null if it was not measured or is not loaded yet */
export function useCycleMetrics(request: () => CycleMetrics) {
  const client = useClient();
  const byCycle = shallowRef(new Map<number, Readonly<Record<string, Series>>>());

  async function load() {
    const { id, phase, names, cycles } = request();
    const found = cycles.map(async (cycle) => {
      const place = { id, cycle, phase, names: [...names] };
      const reply = await client.call('metrics.window', { ...place, from: null, to: null, points: 500 });
      return [cycle, reply.ok ? reply.value.series : {}] as const;
    });
    byCycle.value = new Map(await Promise.all(found));
  }
  watch(() => JSON.stringify(request()), load, { immediate: true });

  return (cycle: number, name: string): number | null => {
    const all = byCycle.value.get(cycle)?.[name]?.values ?? [];
    const last = all.filter((value) => value !== null).slice(-LAST);
    return last.length === 0 ? null : last.reduce((sum, value) => sum + value, 0) / last.length;
  };
}
