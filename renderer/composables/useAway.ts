/** Whether a part of a page is kept while another one is looked at: what is new is not asked for until it is looked at again. */
import { onActivated, onDeactivated, readonly, ref, type Ref } from 'vue';

/** @param back done when it is looked at again; it has lost the keyboard, the pointer and where it was scrolled to */
export function useAway(back: () => void = () => undefined): Readonly<Ref<boolean>> {
  const away = ref(false);
  onDeactivated(() => (away.value = true));
  // It is called at the first time too, when nothing has been missed.
  onActivated(() => {
    if (!away.value) return;
    away.value = false;
    back();
  });
  return readonly(away);
}
