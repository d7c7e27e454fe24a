/** The icon in the tray, there while something trains: what it is, the window, and stopping after the phase that runs. */
import { Menu, Tray, app } from 'electron';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { appWords } from './language.js';

interface TrayOptions {
  readonly icon: string;
  readonly open: () => void;
  readonly stopAfterPhase: (id: string) => void;
}

export function createTray({ icon, open, stopAfterPhase }: TrayOptions): {
  show(project: ProjectSummary | null): void;
} {
  let tray: Tray | null = null;
  let shownFor = '';
  return {
    show(project) {
      const key = project === null ? '' : `${project.id} ${project.name}`;
      if (key === shownFor) return;
      shownFor = key;
      if (project === null) {
        tray?.destroy();
        tray = null;
        return;
      }
      tray ??= new Tray(icon);
      tray.setToolTip(appWords().trayWords.tip(project.name));
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: appWords().trayWords.tip(project.name), enabled: false },
          { label: appWords().trayWords.open, click: open },
          { label: appWords().trayWords.afterPhase, click: () => stopAfterPhase(project.id) },
          { type: 'separator' },
          { label: appWords().trayWords.quit, click: () => app.quit() },
        ]),
      );
    },
  };
}
