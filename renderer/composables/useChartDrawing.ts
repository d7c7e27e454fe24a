/**
 * What a chart draws, handed to ECharts in two parts: its lines with all that goes with them, and which stretch is in sight.
 * While one pans only the second changes, and lines that stay need not be read again. The chart that somebody points at is
 * drawn with the next frame; the others of its group follow when the page has nothing else to do.
 */
import type { EChartsOption, EChartsType } from 'echarts';
import { onScopeDispose, watch, type Ref } from 'vue';
import { dropTurn, takeTurn } from './turns.js';

interface Drawing {
  readonly content: Readonly<Ref<EChartsOption>>;
  readonly stretch: Readonly<Ref<EChartsOption>>;
  /** Somebody points at it. */
  readonly held: Readonly<Ref<boolean>>;
}

/** @param chart undefined until it is there, and when it is there no more */
export function useChartDrawing(chart: () => Pick<EChartsType, 'setOption'> | undefined, drawing: Drawing) {
  const { content, stretch, held } = drawing;
  /** Of which chart, and what of it is drawn already. */
  let drawn: { of: unknown; content?: EChartsOption; stretch?: EChartsOption } = { of: undefined };

  function draw() {
    const instance = chart();
    if (!instance) return;
    if (drawn.of !== instance) drawn = { of: instance };
    // Series that are no more go; those of the same name are drawn on. With the next frame, so that one drawing has all.
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
