/**
 * Zooms a chart by dragging over it or by keyboard. The range belongs to the group, so all its charts show the same
 * range.
 */
import { ref, type ShallowRef } from 'vue';

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
    const wanted = moves[event.key];
    if (!wanted) return;
    event.preventDefault();
    set(wanted[0], wanted[1], limits);
  }
  return { dragged, down, move, up, key, reset };
}
