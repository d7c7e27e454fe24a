/** How varied the writing was at the end of each cycle: distinct-2 over the last steps of its GRPO. */
import { shallowRef, watch } from 'vue';
import { useClient } from './useClient.js';

/** Steps that are averaged: one alone says little. */
const LAST = 5;

export function useCycleDiversity(project: () => string, cycles: () => readonly number[]) {
  const client = useClient();
  const byCycle = shallowRef(new Map<number, number | null>());

  async function load() {
    const asked = cycles();
    const id = project();
    const values = await Promise.all(
      asked.map(async (cycle) => {
        const place = { id, cycle, phase: 'grpo' as const, names: ['distinct_2'] };
        const reply = await client.call('metrics.window', { ...place, from: null, to: null, points: 500 });
        const all = reply.ok ? (reply.value.series['distinct_2']?.values ?? []) : [];
        const last = all.filter((value) => value !== null).slice(-LAST);
        const mean = last.length === 0 ? null : last.reduce((sum, value) => sum + value, 0) / last.length;
        return [cycle, mean] as const;
      }),
    );
    byCycle.value = new Map(values);
  }
  watch(() => JSON.stringify([project(), cycles()]), load, { immediate: true });
  return byCycle;
}
