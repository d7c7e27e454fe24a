/** Charts that are read together: one axis, of which one range is in sight, one smoothing, cursors that move as one. */
import { computed, shallowRef, watch, type Ref } from 'vue';
import { useSettings } from '../stores/settings.js';

export type ChartGroup = ReturnType<typeof createChartGroup>;

let made = 0;

/** Before anybody chooses. */
export const USUAL_SMOOTHING = 0.6;

/** @param smoothing the page's, where several groups are on it */
export function createChartGroup(smoothing: Readonly<Ref<number>>) {
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
    smoothing,
    /** Runs of which something is not drawn, because its place on the axis was not recorded; '' for the only one. */
    unplaced: shallowRef<readonly string[]>([]),
  };
}
