/** Reports whether a cached part of a page is hidden; hidden parts fetch nothing until they are shown again. */
import { onActivated, onDeactivated, readonly, ref, type Ref } from 'vue';

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
