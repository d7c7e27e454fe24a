/**
 * Whether an element is in sight, or about to be. What is costly to draw waits for that, and then for its turn: one after
 * the other and only while nothing else is to do, so that a click is answered before a screen's pictures are drawn.
 */
import { useIntersectionObserver } from '@vueuse/core';
import { computed, onScopeDispose, readonly, ref, type Ref } from 'vue';
import { dropTurn, takeTurn } from './turns.js';

/** So far outside, in pixels, an element is made ready. */
const MARGIN = '300px 0px';

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
      if (drawn.value || !inSight.value) dropTurn(draw);
      else takeTurn(draw);
    },
    { rootMargin: MARGIN },
  );
  onScopeDispose(() => dropTurn(draw));
  return { inSight: readonly(inSight), drawn: readonly(drawn), busy: computed(() => inSight.value && !drawn.value) };
}
