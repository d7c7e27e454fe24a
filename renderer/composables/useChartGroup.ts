/** Charts that are read together: one range of steps, one smoothing, cursors that move as one. */
import { ref, shallowRef } from 'vue';

export type ChartGroup = ReturnType<typeof createChartGroup>;

let made = 0;

export const createChartGroup = () => ({
  id: `charts-${made++}`,
  /** The steps in sight; null shows everything and follows what comes. */
  range: shallowRef<readonly [number, number] | null>(null),
  smoothing: ref(0.6),
});
