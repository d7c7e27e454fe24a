/** The menu: what every program has. What belongs to the product is in the window, where browsers have it too. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { appWords } from './language.js';

export function createMenu(platform: NodeJS.Platform, isDevelopment: boolean): Menu {
  const words = appWords().menuWords;
  const mac = platform === 'darwin';
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const development: MenuItemConstructorOptions[] = isDevelopment
    ? [{ role: 'reload' }, { role: 'toggleDevTools' }, separator]
    : [];
  return Menu.buildFromTemplate([
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: words.file,
      submenu: [mac ? { role: 'close', label: words.close } : { role: 'quit', label: words.quit }],
    },
    {
      label: words.edit,
      submenu: [
        { role: 'undo', label: words.undo },
        { role: 'redo', label: words.redo },
        separator,
        { role: 'cut', label: words.cut },
        { role: 'copy', label: words.copy },
        { role: 'paste', label: words.paste },
        { role: 'selectAll', label: words.selectAll },
      ],
    },
    {
      label: words.view,
      submenu: [
        ...development,
        { role: 'resetZoom', label: words.resetZoom },
        { role: 'zoomIn', label: words.zoomIn },
        { role: 'zoomOut', label: words.zoomOut },
        separator,
        { role: 'togglefullscreen', label: words.fullScreen },
      ],
    },
    ...(mac ? [{ role: 'windowMenu', label: words.window } as const] : []),
  ]);
}
