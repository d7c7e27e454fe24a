/** The window's title: the screen's name before the app's. */
import { useHead } from '@unhead/vue';
import { strings } from '../strings/index.js';

export const usePageTitle = (title: () => string | null | undefined) =>
  useHead({ title: () => [title(), strings.app.name].filter(Boolean).join(' – ') });
