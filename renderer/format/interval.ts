/** A 95 % interval in words, the same wherever one stands. */
import type { Interval } from '../../shared/reports/report.js';
import { t } from '../messages/index.js';

type Shown = (value: number) => string;

/** "0.1 to 0.4"; nothing where there is no interval. */
export const rangeWords = (interval: Interval | null | undefined, shown: Shown): string =>
  interval ? t('app.range', { low: shown(interval.low), high: shown(interval.high) }) : '';

/** "95 % interval 0.1 to 0.4", where nothing around it says what the range is. */
export const intervalWords = (interval: Interval | null | undefined, shown: Shown): string | undefined =>
  interval ? t('app.interval', { range: rangeWords(interval, shown) }) : undefined;
