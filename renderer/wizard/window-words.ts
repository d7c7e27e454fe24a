/** Hints are written for the terminal as well: in the window a flag is called by the name of its field. Pure. */
import { isSetting, settingLabel } from './steps.js';

/** "Use --n_embd 130" becomes "Use “Width” 130". */
export const windowWords = (text: string): string =>
  text.replaceAll(/--([a-z][\w]*)/g, (flag, key: string) => (isSetting(key) ? `“${settingLabel(key)}”` : flag));
