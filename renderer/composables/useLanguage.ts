/** Keeps the window's language and number format as the user or the system chooses. */
import { en } from '@nuxt/ui/locale';
import { computed, watchEffect } from 'vue';
import { languageOf, localeOf } from '../../shared/messages/catalogue.js';
import { t, windowLanguage, windowLocale } from '../messages/index.js';
import { useSettings } from '../stores/stores.js';

/** @returns the current language, and the words of the library's components in it */
export function useLanguage() {
  const settings = useSettings();
  // Set before anything is rendered.
  watchEffect(
    () => {
      const language = languageOf(settings.values.language, navigator.languages);
      windowLanguage.value = language;
      windowLocale.value = localeOf(settings.values.locale, language, navigator.language);
      document.documentElement.lang = language;
    },
    { flush: 'sync' },
  );
  const close = computed(() => ({ close: t('app.close') }));
  const componentWords = computed(() => ({
    ...en,
    code: windowLanguage.value,
    messages: {
      ...en.messages,
      ...{ alert: close.value, modal: close.value, toast: close.value },
      commandPalette: { ...en.messages.commandPalette, ...close.value },
    },
  }));
  return { language: windowLanguage, componentWords };
}
