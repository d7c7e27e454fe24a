/** Charts that are read together: one axis, of which one range is in sight, one smoothing, cursors that move as one. */
import { computed, ref, shallowRef, watch } from 'vue';
import { useSettings } from '../stores/settings.js';

export type ChartGroup = ReturnType<typeof createChartGroup>;

let made = 0;

export function createChartGroup() {
  const settings = useSettings();
  const axis = computed(() => settings.values.chart_axis);
  /** What of the axis is in sight; null shows everything and follows what comes. */
  const range = shallowRef<readonly [number, number] | null>(null);
  // Places on another axis are other places.
  watch(axis, () => (range.value = null), { flush: 'sync' });
  return {
    id: `charts-${made++}`,
    axis,
    range,
    smoothing: ref(0.6),
    /** Runs of which something is not drawn, because its place on the axis was not recorded; '' for the only one. */
    unplaced: shallowRef<readonly string[]>([]),
  };
}
