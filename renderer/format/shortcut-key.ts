/** The key of every shortcut, as it is shown: ⌘ on a Mac, elsewhere as it stands on keyboards of the window's language. */
import { strings } from '../strings/index.js';

/** For Nuxt UI's `UKbd`, which knows the Mac's. */
export const shortcutKey = (): string => (/Macintosh;/.test(navigator.userAgent) ? 'meta' : strings.app.control);
