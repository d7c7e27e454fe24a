/** Theme and colours. */
import { usePreferredDark } from '@vueuse/core';
import { computed, watchEffect, ref, watch, nextTick } from 'vue';
import { useSettings } from '../stores/stores.js';

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

const names = {
  line1: '--chart-1',
  line2: '--chart-2',
  line3: '--chart-3',
  line4: '--chart-4',
  line5: '--chart-5',
  line6: '--chart-6',
  natural: '--natural',
  generated: '--generated',
  text: '--ui-text-toned',
  muted: '--ui-text-muted',
  axis: '--line',
  surface: '--surface',
  error: '--ui-error',
} as const;
export type ColourName = keyof typeof names;

export function useColours() {
  const dark = useTheme();
  const changes = ref(0);
  watch(dark, () => void nextTick(() => changes.value++));
  return computed(() => {
    void changes.value;
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(
      Object.entries(names).map(([name, variable]) => [name, resolved(style, variable)]),
    ) as Record<ColourName, string>;
  });
}

/** Resolves a CSS variable, which may refer to another one. */
function resolved(style: CSSStyleDeclaration, variable: string): string {
  const value = style.getPropertyValue(variable).trim();
  const [, inner] = /^var\((--[\w-]+)/.exec(value) ?? [];
  return inner === undefined ? value : resolved(style, inner);
}
