/** The app, the machine and the settings. */
import { UserError } from '../../../shared/errors.js';
import type { machineChannels } from '../../../shared/contract/machine.js';
import { describeMachine, notLooked } from '../../services/machine.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function appHandlers({
  settings,
  files,
  version,
}: Services): Handlers<Exclude<Named<typeof machineChannels>, 'app.diagnostics'>> {
  return {
    'app.info': (_input, { caller }) => ({
      version,
      transport: caller.transport,
      platform: process.platform,
      projects_folder: settings.projectsFolder(),
      licences: [],
    }),
    'machine.describe': () => describeMachine(settings.projectsFolder(), notLooked),
    'settings.get': () => settings.get(),
    'settings.set': (change) => settings.set(change),
    async 'settings.chooseProjectsFolder'({ folder: handle }, { caller }) {
      const chosen = handle === undefined ? await caller.dialogs?.choose({ purpose: 'folder', multiple: false }) : null;
      if (chosen === undefined) {
        throw new UserError({
          code: 'unsupported',
          message: 'A browser cannot open the system’s dialog.',
          hint: 'Choose the folder from the list.',
          field: 'folder',
        });
      }
      const folder = handle === undefined ? chosen?.[0] : files.pathOf(handle);
      if (folder !== undefined) settings.setProjectsFolder(folder);
      return { folder: folder ?? null };
    },
  };
}
