/** Holds the window's language: the user's choice, or the system's. */
import { de, en } from '@nuxt/ui/locale';
import { computed, watch } from 'vue';
import { languageOf } from '../../shared/language.js';
import { useSettings } from '../stores/settings.js';
import { speak } from '../strings/index.js';

/** Words of the library's components. */
const componentWordsIn = { en, de };

/** @returns the current language, and the library components' words in it */
export function useLanguage() {
  const settings = useSettings();
  const language = computed(() => languageOf(settings.values.language, navigator.languages));
  // Set before anything is rendered.
  watch(
    language,
    (now) => {
      speak(now);
      document.documentElement.lang = now;
    },
    { immediate: true, flush: 'sync' },
  );
  return { language, componentWords: computed(() => componentWordsIn[language.value]) };
}
