/** Sets the window's title: the screen's name before the app's. */
import { useHead } from '@unhead/vue';
import { t } from '../messages/index.js';

export const usePageTitle = (title: () => string | null | undefined) =>
  useHead({ title: () => [title(), t('app.name')].filter(Boolean).join(' – ') });
