/** Groups charts that are read together: they share an axis, a visible range, smoothing and cursors. */
import { computed, shallowRef, watch, type Ref } from 'vue';
import { useSettings } from '../stores/settings.js';

export type ChartGroup = ReturnType<typeof createChartGroup>;

let made = 0;

/** The smoothing before the user chooses one. */
export const USUAL_SMOOTHING = 0.6;

/** @param smoothing the page's, for pages with several groups */
export function createChartGroup(smoothing: Readonly<Ref<number>>) {
  const settings = useSettings();
  const axis = computed(() => settings.values.chart_axis);
  /** The visible range of the axis; null shows everything and follows new points. */
  const range = shallowRef<readonly [number, number] | null>(null);
  // A range of one axis means nothing on another.
  watch(axis, () => (range.value = null), { flush: 'sync' });
  return {
    id: `charts-${made++}`,
    axis,
    range,
    smoothing,
    /** Runs with series that are not drawn because their position on the axis was not recorded; '' for the only run. */
    unplaced: shallowRef<readonly string[]>([]),
  };
}
