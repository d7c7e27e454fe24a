/** The menu: what every program has. What belongs to the product is in the window, where browsers have it too. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { menuWords } from './words.js';

export function createMenu(platform: NodeJS.Platform, isDevelopment: boolean): Menu {
  const mac = platform === 'darwin';
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const development: MenuItemConstructorOptions[] = isDevelopment
    ? [{ role: 'reload' }, { role: 'toggleDevTools' }, separator]
    : [];
  return Menu.buildFromTemplate([
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    { label: menuWords.file, submenu: [mac ? { role: 'close' } : { role: 'quit' }] },
    { role: 'editMenu', label: menuWords.edit },
    {
      label: menuWords.view,
      submenu: [
        ...development,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    ...(mac ? [{ role: 'windowMenu', label: menuWords.window } as const] : []),
  ]);
}
