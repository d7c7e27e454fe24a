/** Loads metrics of a phase as one value per cycle: the mean of its last steps. */
import { shallowRef, watch } from 'vue';
import type { Series } from '../../shared/contract/projects.js';
import type { PhaseName } from '../../shared/phases/index.js';
import { useClient } from './useClient.js';

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
