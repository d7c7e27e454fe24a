/**
 * Hands a chart to ECharts in two parts: its lines, and the range in sight. Panning changes only the second, so
 * unchanged lines are not read again. The chart under the pointer is drawn with the next frame; the others of its group
 * follow when the page is idle.
 */
import type { EChartsOption, EChartsType } from 'echarts';
import { onScopeDispose, watch, type Ref } from 'vue';
import { dropTurn, takeTurn } from './turns.js';

interface Drawing {
  readonly content: Readonly<Ref<EChartsOption>>;
  readonly stretch: Readonly<Ref<EChartsOption>>;
  /** The pointer is over the chart. */
  readonly held: Readonly<Ref<boolean>>;
}

/** @param chart undefined before it is mounted and after it is gone */
export function useChartDrawing(chart: () => Pick<EChartsType, 'setOption'> | undefined, drawing: Drawing) {
  const { content, stretch, held } = drawing;
  /** The chart that was drawn last, and its content and range. */
  let drawn: { of: unknown; content?: EChartsOption; stretch?: EChartsOption } = { of: undefined };

  function draw() {
    const instance = chart();
    if (!instance) return;
    if (drawn.of !== instance) drawn = { of: instance };
    // Series that are gone are removed; those of the same name are reused. Drawing waits for the next frame to include
    // everything.
    if (drawn.content !== content.value) {
      instance.setOption(content.value, { replaceMerge: ['series'], lazyUpdate: true });
    }
    if (drawn.content !== content.value || drawn.stretch !== stretch.value) {
      instance.setOption(stretch.value, { lazyUpdate: true });
    }
    drawn = { of: instance, content: content.value, stretch: stretch.value };
  }
  watch([chart, content, stretch], () => {
    const isNew = drawn.of !== chart();
    if (!isNew && !held.value) return takeTurn(draw);
    dropTurn(draw);
    draw();
  });
  onScopeDispose(() => dropTurn(draw));
}
