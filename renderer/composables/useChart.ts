/** A chart's drawing, zoom and group: grouped charts share axis, range, smoothing and cursors. */
import type { EChartsOption, EChartsType } from 'echarts';
import { computed, shallowRef, watch, type Ref, ref, type ShallowRef, onScopeDispose } from 'vue';
import { pressedKey } from '../../shared/rating.js';
import { useSettings } from '../stores/stores.js';

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

/** The part of a chart that zooming uses. */
interface Plot {
  convertFromPixel(finder: { xAxisIndex: number }, value: number): number | number[];
}
type Range = readonly [number, number];

/** A shorter drag counts as a click. */
const MIN_PIXELS = 6;

/**
 * @param counted whether the axis counts something and has whole numbers only
 * @param clicked receives the place of a click, not of a drag
 */
export function useChartZoom(
  range: ShallowRef<Range | null>,
  plot: () => Plot | null,
  whole: () => Range | null,
  counted: () => boolean,
  clicked: (place: number) => void,
) {
  /** The range being dragged over, in pixels from the left of the chart. */
  const dragged = ref<Range | null>(null);
  let dragStart: number | null = null;

  const placeAt = (pixels: number): number => {
    const value = plot()?.convertFromPixel({ xAxisIndex: 0 }, pixels);
    return Number(Array.isArray(value) ? value[0] : value);
  };

  function down(event: PointerEvent) {
    if (event.button !== 0) return;
    dragStart = event.offsetX;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  }
  function move(event: PointerEvent) {
    if (dragStart === null) return;
    const [from, to] = [Math.min(dragStart, event.offsetX), Math.max(dragStart, event.offsetX)];
    dragged.value = to - from < MIN_PIXELS ? null : [from, to];
  }
  function up() {
    const [pixels, pressed] = [dragged.value, dragStart];
    dragStart = null;
    dragged.value = null;
    const limits = whole();
    if (!limits) return;
    if (!pixels && pressed !== null) clicked(placeAt(pressed));
    if (pixels) set(placeAt(pixels[0]), placeAt(pixels[1]), limits);
  }

  function set(from: number, to: number, limits: Range) {
    const low = Math.max(limits[0], counted() ? Math.floor(from) : from);
    const high = Math.min(limits[1], counted() ? Math.ceil(to) : to);
    if (!(high - low > 0)) return;
    range.value = low <= limits[0] && high >= limits[1] ? null : [low, high];
  }
  const reset = () => (range.value = null);

  function key(event: KeyboardEvent) {
    const limits = whole();
    if (!limits) return;
    const [low, high] = range.value ?? limits;
    const width = high - low;
    const moves: Record<string, Range> = {
      '+': [low + width / 4, high - width / 4],
      '=': [low + width / 4, high - width / 4],
      '-': [low - width / 2, high + width / 2],
      ArrowLeft: [low - Math.min(width / 4, low - limits[0]), high - Math.min(width / 4, low - limits[0])],
      ArrowRight: [low + Math.min(width / 4, limits[1] - high), high + Math.min(width / 4, limits[1] - high)],
      '0': limits,
    };
    const wanted = moves[event.key] ?? moves[pressedKey(event)];
    if (!wanted) return;
    event.preventDefault();
    set(wanted[0], wanted[1], limits);
  }
  return { dragged, down, move, up, key, reset };
}

/** The next piece of work runs after this many milliseconds, however busy the page is. */
const MAX_WAIT = 250;

const waiting = new Set<() => void>();
let isScheduled = false;

/** Browsers without `requestIdleCallback` run the next piece after what is queued already. */
const whenIdle: (work: () => void) => void =
  'requestIdleCallback' in globalThis
    ? (work) => void requestIdleCallback(work, { timeout: MAX_WAIT })
    : (work) => void setTimeout(work);

function next(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  whenIdle(() => {
    isScheduled = false;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    first();
    next();
  });
}

/** Queues work; a piece that waits already keeps its place. */
export function takeTurn(work: () => void): void {
  waiting.add(work);
  next();
}

export const dropTurn = (work: () => void): boolean => waiting.delete(work);

interface Drawing {
  readonly content: Readonly<Ref<EChartsOption>>;
  readonly stretch: Readonly<Ref<EChartsOption>>;
  /** The pointer is over the chart. */
  readonly held: Readonly<Ref<boolean>>;
}

/** Passes lines and visible range to ECharts separately, as panning changes only the range. @param chart undefined before it is mounted and after it is gone */
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
