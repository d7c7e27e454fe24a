/**
 * Reports whether an element is visible or about to be. Costly drawing waits for that and then for its turn, one at a
 * time while the page is idle, so clicks are answered before charts are drawn.
 */
import { useIntersectionObserver } from '@vueuse/core';
import { computed, onScopeDispose, readonly, ref, type Ref } from 'vue';
import { dropTurn, takeTurn } from './turns.js';

/** Elements this many pixels outside the window are prepared. */
const MARGIN = '300px 0px';

export function useInSight(element: Readonly<Ref<HTMLElement | null>>) {
  /** The element is visible now. */
  const inSight = ref(false);
  /** The element has been visible and its turn has come; it stays drawn. */
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
