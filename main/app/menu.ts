/** The menu that every program has. What belongs to the product is in the window, where browsers have it too. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import { t } from './language.js';

type LabelledRole =
  | ('close' | 'copy' | 'cut' | 'paste' | 'quit' | 'redo' | 'selectAll' | 'undo')
  | ('resetZoom' | 'togglefullscreen' | 'zoomIn' | 'zoomOut');

export function createMenu(platform: NodeJS.Platform, isDevelopment: boolean): Menu {
  const isMac = platform === 'darwin';
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const items = (...roles: readonly LabelledRole[]) =>
    roles.map((role): MenuItemConstructorOptions => ({ role, label: t(`desktop.menu.${role}`) }));
  return Menu.buildFromTemplate([
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    { label: t('desktop.menu.file'), submenu: items(isMac ? 'close' : 'quit') },
    {
      label: t('desktop.menu.edit'),
      submenu: [...items('undo', 'redo'), separator, ...items('cut', 'copy', 'paste', 'selectAll')],
    },
    {
      label: t('desktop.menu.view'),
      submenu: [
        ...(isDevelopment ? [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const, separator] : []),
        ...items('resetZoom', 'zoomIn', 'zoomOut'),
        separator,
        ...items('togglefullscreen'),
      ],
    },
    ...(isMac ? [{ role: 'windowMenu', label: t('desktop.menu.window') } as const] : []),
  ]);
}
