/** Tells of a file that was written, and brings it to the person: a way to its folder in the app, a download in a browser. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { FileInfo } from '../../shared/contract/values.js';
import { fetchSaved } from '../client/download.js';
import { useAppInfo } from '../stores/app-info.js';
import { t } from '../messages/index.js';
import { useAsk } from './useAsk.js';

/** Long enough to read where it is, and to go there. */
const TOAST_MILLISECONDS = 15_000;

export function useSaved() {
  const { ask } = useAsk();
  const toast = useToast();
  const app = useAppInfo();

  /** Of a folder only where it is: that stays on the server. */
  return function tellSaved({ handle, kind }: FileInfo, title: string, description = ''): void {
    const isApp = app.info?.transport === 'electron';
    if (!isApp && kind === 'file') fetchSaved(handle);
    toast.add({
      title,
      ...(description === '' ? {} : { description }),
      icon: 'i-lucide-package-check',
      duration: TOAST_MILLISECONDS,
      ...(isApp
        ? { actions: [{ label: t('home.actions.reveal'), onClick: () => void ask('files.reveal', { handle }) }] }
        : {}),
    });
  };
}
