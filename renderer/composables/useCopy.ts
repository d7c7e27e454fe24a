/**
 * Copies text and shows for a moment that it did. vueuse's useClipboard is no alternative: it queries two permissions
 * for each button, and the browser holds each answer as long as the page is open.
 */
import { onScopeDispose, ref } from 'vue';

const NOTICE_MILLISECONDS = 2000;

export function useCopy() {
  const copied = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Refused, as the app's window refuses every permission, or missing, as on an address without TLS.
      if (!copySelected(text)) return;
    }
    copied.value = true;
    clearTimeout(timer);
    timer = setTimeout(() => (copied.value = false), NOTICE_MILLISECONDS);
  }
  return { copy, copied };
}

/** Copies the selection, which needs no permission, and returns the focus to the element that had it. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'sr-only';
  area.value = text;
  // Placed next to the focused element: a dialog would take the focus back from outside.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}
