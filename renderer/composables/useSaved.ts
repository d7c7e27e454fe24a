/** Reports a file that was written, and shows its folder in the app or downloads it in a browser. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { FileInfo } from '../../shared/contract/values.js';
import { fetchSaved } from '../client/download.js';
import { useAppInfo } from '../stores/app-info.js';
import { t } from '../messages/index.js';
import { useAsk } from './useAsk.js';

/** Long enough to read the path, and to go there. */
const TOAST_MILLISECONDS = 15_000;

export function useSaved() {
  const { ask } = useAsk();
  const toast = useToast();
  const app = useAppInfo();

  /** A folder stays on the server, so only its path is shown. */
  return function notifySaved({ handle, kind }: FileInfo, title: string, description = ''): void {
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
