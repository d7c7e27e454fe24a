/** Quits the app: asks if a project is training, stops it with a checkpoint, then closes everything. */
import type { App, BrowserWindow } from 'electron';
import { agreedTo } from './dialogs.js';
import { appWords } from './language.js';

interface QuitOptions {
  readonly app: App;
  readonly window: () => BrowserWindow | null;
  readonly training: () => string | null;
  readonly close: () => Promise<void>;
  readonly onBug: (error: unknown) => void;
}

/** @returns what makes a window's closing the same as quitting: it stays until the question is answered */
export function quitCarefully({ app, window, training, close, onBug }: QuitOptions): (closing: BrowserWindow) => void {
  let state: 'open' | 'closing' | 'closed' = 'open';

  const mayQuit = async (): Promise<boolean> => {
    const name = training();
    const shown = window();
    if (name === null || shown === null) return true;
    const { title, message, detail, stop, stay } = appWords().quitWords;
    return agreedTo(shown, { title, message: message(name), detail }, stop, stay);
  };
  const quit = async (): Promise<void> => {
    state = 'closing';
    try {
      if (!(await mayQuit())) {
        state = 'open';
        return;
      }
      await close();
    } catch (error) {
      onBug(error);
    }
    state = 'closed';
    app.quit();
  };

  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'open') void quit();
  });

  return (closing) => {
    closing.on('close', (event) => {
      if (state === 'closed') return;
      event.preventDefault();
      app.quit();
    });
  };
}
