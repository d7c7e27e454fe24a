/** The language of the window's words: what the person chose, or as the system has it. */
import { de, en } from '@nuxt/ui/locale';
import { computed, watch } from 'vue';
import { languageOf } from '../../shared/language.js';
import { useSettings } from '../stores/settings.js';
import { speak } from '../strings/index.js';

/** The words of components that are not ours. */
const componentWordsIn = { en, de };

/** @returns the language now, and the words of the components that are not ours in it */
export function useLanguage() {
  const settings = useSettings();
  const language = computed(() => languageOf(settings.values.language, navigator.languages));
  // Before anything is rendered with it.
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
