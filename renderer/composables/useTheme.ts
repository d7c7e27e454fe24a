/** Sets the class that all colours depend on: light, dark, or the system's choice. */
import { usePreferredDark } from '@vueuse/core';
import { computed, watchEffect } from 'vue';
import { useSettings } from '../stores/settings.js';

/** @returns whether the window is dark now */
export function useTheme() {
  const settings = useSettings();
  const preferred = usePreferredDark();
  const dark = computed(() =>
    settings.values.theme === 'system' ? preferred.value : settings.values.theme === 'dark',
  );
  watchEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle('dark', dark.value);
    classList.toggle('light', !dark.value);
  });
  return dark;
}
