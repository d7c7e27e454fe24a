/** The same in German: a missing or surplus word is a type error. */
import { tellIn } from '../format/told.js';
import { told } from './de-told/index.js';
import type { Strings } from './en.js';

/** 1,234.5 is 1.234,5; what is no number, or a part of a version or a name, stays. */
const germanFigure = (english: string): string =>
  /^-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?: ?%| [kMGT]?B| s)?$/.test(english)
    ? english.replaceAll(/[.,]/g, (sign) => (sign === ',' ? '.' : ','))
    : english;

export const de: Strings = {
  tag: 'de',
  reworded: tellIn(told, germanFigure),
};
