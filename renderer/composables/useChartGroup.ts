/** Charts that are read together: one range of steps, one smoothing, cursors that move as one. */
import { inject, provide, ref, shallowRef, type InjectionKey, type Ref, type ShallowRef } from 'vue';

export interface ChartGroup {
  readonly id: string;
  /** The steps in sight; null shows everything and follows what comes. */
  readonly range: ShallowRef<readonly [number, number] | null>;
  readonly smoothing: Ref<number>;
}

const key: InjectionKey<ChartGroup> = Symbol('chart group');
let made = 0;

/** For a chart that is zoomed and smoothed by itself. */
export const ownChartGroup = (): ChartGroup => ({
  id: `charts-${made++}`,
  range: shallowRef(null),
  smoothing: ref(0.6),
});

export function createChartGroup(): ChartGroup {
  const group = ownChartGroup();
  provide(key, group);
  return group;
}

export const useChartGroup = (): ChartGroup => inject(key, ownChartGroup, true);
