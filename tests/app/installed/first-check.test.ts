/** The check waits for the window, so as not to hold it up, and for none that does not come; a start finds the runtime it is to install. */
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { windowShown } from '../../../main/app/installed/first-check.js';
import { runtimeAmong } from '../../../main/app/installed/second-runtime.js';

vi.mock('electron', () => ({ app: {}, dialog: {} }));

it('waits until the window is shown', async () => {
  const [app, window] = [new EventEmitter(), new EventEmitter()];
  let over = false;
  const waited = windowShown(app, 3_600_000).then(() => (over = true));
  app.emit('browser-window-created', {}, window);
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  window.emit('show');
  await waited;
  expect(over).toBe(true);
});

it('does not wait without end for a window that does not come, or is never shown', async () => {
  await windowShown(new EventEmitter(), 1);
  const app = new EventEmitter();
  const waited = windowShown(app, 1);
  app.emit('browser-window-created', {}, new EventEmitter());
  await waited;
  expect(app.listenerCount('browser-window-created')).toBe(0);
});

it('a start that is to install a runtime says which file', () => {
  expect(runtimeAmong(['verisim', '--install-runtime=/tmp/a=b.tar'])).toBe('/tmp/a=b.tar');
  expect(runtimeAmong(['verisim', 'Moby Dick.verisim'])).toBeNull();
});
