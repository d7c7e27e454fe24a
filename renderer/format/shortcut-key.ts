/** The key of every shortcut, as it is shown: ⌘ on a Mac, elsewhere as it stands on keyboards of the window's language. */
import { t } from '../messages/index.js';

/** For Nuxt UI's `UKbd`, which knows the Mac's. */
export const shortcutKey = (): string => (/Macintosh;/.test(navigator.userAgent) ? 'meta' : t('app.control'));
