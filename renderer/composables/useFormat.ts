/** Provides the formatters of numbers and times in the user's language. */
import { computed, ref } from 'vue';
import * as numbers from '../../shared/base/numbers.js';
import * as time from '../../shared/base/time.js';
import { timeLocaleOf } from '../../shared/messages/catalogue.js';
import { windowLanguage, windowLocale as locale } from '../messages/index.js';

/** The window shares one clock: relative times need not be exact to the second. */
const now = ref(Date.now());
setInterval(() => (now.value = Date.now()), 30_000);

export function useFormat() {
  const timeLocale = computed(() => timeLocaleOf(locale.value, windowLanguage.value));
  return {
    locale,
    /** Parses typed text as a number (numbers.parseTyped). */
    parse: (text: string) => numbers.parseTyped(text, locale.value),
    setting: (value: unknown) => numbers.formatSetting(value, locale.value),
    count: (value: number | null | undefined) => numbers.formatCount(value, locale.value),
    compact: (value: number | null | undefined) => numbers.formatCompact(value, locale.value),
    measure: (value: number | null | undefined, digits?: number) => numbers.formatMeasure(value, locale.value, digits),
    tick: (value: number) => numbers.formatTick(value, locale.value),
    shareTick: (value: number) => numbers.formatShareTick(value, locale.value),
    share: (value: number | null | undefined, decimals?: number) => numbers.formatShare(value, locale.value, decimals),
    /** Formats a completion's reward: a share of one, or evidence in nats. */
    reward: (value: number | null | undefined, isEvidence: boolean) =>
      isEvidence ? numbers.formatMeasure(value, locale.value) : numbers.formatShare(value, locale.value, 1),
    bytes: (value: number | null | undefined) => numbers.formatBytes(value, locale.value),
    duration: (seconds: number | null | undefined) => time.formatDuration(seconds, timeLocale.value),
    ago: (iso: string) => time.formatAgo(iso, now.value, timeLocale.value),
    moment: (iso: string) => time.formatMoment(iso, locale.value),
  };
}
