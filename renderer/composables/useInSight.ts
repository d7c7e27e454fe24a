/** Reports whether parts of a page are visible. */
import { useIntersectionObserver } from '@vueuse/core';
import { computed, onScopeDispose, readonly, ref, type Ref, onActivated, onDeactivated } from 'vue';
import { dropTurn, takeTurn } from './useChart.js';

/** Elements this many pixels outside the window are prepared. */
const MARGIN = '300px 0px';

/** Costly drawing waits until the element is near the window, and then for its turn, so clicks are answered first. */
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

/** @param back called when it is shown again; it has lost focus, pointer and scroll position */
export function useAway(back: () => void = () => undefined): Readonly<Ref<boolean>> {
  const away = ref(false);
  onDeactivated(() => (away.value = true));
  // Vue calls it the first time too, when nothing has been missed.
  onActivated(() => {
    if (!away.value) return;
    away.value = false;
    back();
  });
  return readonly(away);
}
