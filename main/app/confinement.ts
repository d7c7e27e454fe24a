/** Confines every page of the app: no navigation, windows, devices or network. (Electron's security checklist.) */
import type { App, Session } from 'electron';
import { isPageAddress } from './page.js';

/** Copying to the clipboard is a button's work and can do no harm; reading it is not needed. */
const allowedPermission = 'clipboard-sanitized-write';
const ownSchemes = new Set(['app:', 'data:', 'blob:', 'devtools:', 'chrome-extension:']);

/** For every page there will ever be. */
export function confinePages(app: App): void {
  app.on('web-contents-created', (_created, contents) => {
    const stay = (event: { preventDefault(): void }, address: string) => {
      if (!isPageAddress(address)) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

export function confineSession(session: Session, isDevelopment: boolean): void {
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(permission === allowedPermission && isPageAddress(requestingUrl)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === allowedPermission && isPageAddress(origin),
  );
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest(({ url }, answer) => {
    const { protocol } = new URL(url);
    const own = ownSchemes.has(protocol) && (isDevelopment || protocol !== 'devtools:');
    answer({ cancel: !own });
  });
  // What the page itself made (a chart as picture, a table as text) may be saved, and nothing else.
  session.on('will-download', (event, item) => {
    const made = item.getURL().startsWith('data:') || item.getURL().startsWith('blob:app://verisim/');
    if (!made) event.preventDefault();
  });
  session.setSpellCheckerEnabled(false);
}
