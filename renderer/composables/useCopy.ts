/**
 * Copies a text, and says for a moment that it did. Not vueuse's useClipboard: that asks for two permissions each time a
 * button appears, and the browser keeps each answer as long as the page is open.
 */
import { onScopeDispose, ref } from 'vue';

const SAID_MILLISECONDS = 2000;

export function useCopy() {
  const copied = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Refused, as the app's own window refuses every permission, or not there, as on an address without TLS.
      if (!copySelected(text)) return;
    }
    copied.value = true;
    clearTimeout(timer);
    timer = setTimeout(() => (copied.value = false), SAID_MILLISECONDS);
  }
  return { copy, copied };
}

/** The way that needs no permission: what is selected is copied, and whoever had the focus has it again. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'sr-only';
  area.value = text;
  // Beside what has the focus: a dialog would call it back from outside.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}
