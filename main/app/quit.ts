/** Quits the app: asks if a project is training, stops it with a checkpoint, then closes everything. */
import type { App, BrowserWindow } from 'electron';
import { confirm } from './dialogs.js';

interface QuitOptions {
  readonly app: App;
  readonly window: () => BrowserWindow | null;
  readonly training: () => string | null;
  readonly close: () => Promise<void>;
  readonly onBug: (error: unknown) => void;
}

/** @returns makes closing a window the same as quitting: the window stays until the question is answered */
export function quitCarefully({ app, window, training, close, onBug }: QuitOptions): (closing: BrowserWindow) => void {
  let state: 'open' | 'closing' | 'closed' = 'open';

  const mayQuit = async (): Promise<boolean> => {
    const name = training();
    const shown = window();
    return name === null || shown === null || confirm(shown, 'quit', { name });
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
