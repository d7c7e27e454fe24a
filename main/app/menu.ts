/** The menu: what every program has. What belongs to the product is in the window, where browsers have it too. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { appWords } from './language.js';

/** What the help menu offers, where this app has it. */
export interface MenuOffers {
  readonly installRuntime: (() => void) | null;
  readonly lookForUpdates: (() => void) | null;
}

export function createMenu(platform: NodeJS.Platform, isDevelopment: boolean, offers: MenuOffers): Menu {
  const words = appWords().menuWords;
  const mac = platform === 'darwin';
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const development: MenuItemConstructorOptions[] = isDevelopment
    ? [{ role: 'reload' }, { role: 'toggleDevTools' }, separator]
    : [];
  const help = (['installRuntime', 'lookForUpdates'] as const).flatMap((offer): MenuItemConstructorOptions[] => {
    const click = offers[offer];
    return click === null ? [] : [{ label: words[offer], click: () => click() }];
  });
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
    ...(help.length > 0 ? [{ role: 'help', label: words.help, submenu: help } as const] : []),
  ]);
}
