/**
 * Whether an element is in sight, or about to be. What is costly to draw waits for that, and then for its turn: one after
 * the other and only while nothing else is to do, so that a click is answered before a screen's pictures are drawn.
 */
import { useIntersectionObserver } from '@vueuse/core';
import { computed, onScopeDispose, readonly, ref, type Ref } from 'vue';

/** So far outside, in pixels, an element is made ready. */
const MARGIN = '300px 0px';
/** However busy the page is, the next one in turn is drawn after so many milliseconds. */
const MAX_WAIT = 250;

const waiting = new Set<() => void>();
let asked = false;

/** Not every browser says when it has nothing to do; there a turn comes after what is waiting already. */
const whenIdle: (work: () => void) => void =
  'requestIdleCallback' in globalThis
    ? (work) => void requestIdleCallback(work, { timeout: MAX_WAIT })
    : (work) => void setTimeout(work);

function inTurn(): void {
  if (asked || waiting.size === 0) return;
  asked = true;
  whenIdle(() => {
    asked = false;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    first();
    inTurn();
  });
}

export function useInSight(element: Readonly<Ref<HTMLElement | null>>) {
  /** It is in sight now. */
  const inSight = ref(false);
  /** It has been, and its turn has come: from now on it is there. */
  const drawn = ref(false);
  const draw = () => (drawn.value = true);
  useIntersectionObserver(
    element,
    (entries) => {
      inSight.value = entries.at(-1)?.isIntersecting === true;
      if (drawn.value || !inSight.value) waiting.delete(draw);
      else waiting.add(draw);
      inTurn();
    },
    { rootMargin: MARGIN },
  );
  onScopeDispose(() => waiting.delete(draw));
  return { inSight: readonly(inSight), drawn: readonly(drawn), busy: computed(() => inSight.value && !drawn.value) };
}
