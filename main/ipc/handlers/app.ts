/** The app, the machine and the settings. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { endpointChannels } from '../../../shared/contract/endpoint.js';
import type { machineChannels } from '../../../shared/contract/machine.js';
import { licences } from '../../services/machine/licences.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function appHandlers({
  settings,
  files,
  machine,
  diagnostics,
  projects,
  version,
  endpoint,
}: Services): Handlers<Named<typeof machineChannels & typeof endpointChannels>> {
  return {
    'app.info': (_input, { caller }) => ({
      version,
      transport: caller.transport,
      platform: process.platform,
      projects_folder: settings.projectsFolder(),
      licences: [...licences],
      checks_for_updates: caller.checkForUpdates !== undefined,
    }),
    async 'app.checkForUpdates'(_input, { caller }) {
      if (caller.checkForUpdates === undefined) {
        throw new UserError({
          code: 'unsupported',
          message: localized('handlers.verisim_no_source_updates'),
          hint: localized('handlers.download_new_version_hand'),
        });
      }
      await caller.checkForUpdates();
      return {};
    },
    'app.diagnostics': async () => ({
      text: diagnostics.text({
        version,
        machine: machine.describe(),
        settings: settings.get(),
        projects: (await projects.list()).map(({ state, cycle, preset }) => `${state}, cycle ${cycle}, ${preset}`),
      }),
    }),
    'endpoint.describe': () => endpoint.describe(),
    'machine.describe': () => machine.describe(),
    'settings.get': () => settings.get(),
    'settings.set': (change) => settings.set(change),
    async 'settings.chooseProjectsFolder'({ folder: handle }, { caller }) {
      if (handle !== undefined) settings.setProjectsFolder(files.pathOf(handle));
      else if (caller.dialogs === null) {
        throw new UserError({
          code: 'unsupported',
          message: localized('handlers.browser_cannot_open_systems_dialog'),
          hint: localized('handlers.choose_folder_list'),
          field: 'folder',
        });
      } else {
        const [chosen] = await caller.dialogs.choose({ purpose: 'folder', multiple: false });
        if (chosen === undefined) return { folder: null };
        settings.setProjectsFolder(chosen);
      }
      return { folder: settings.projectsFolder() };
    },
  };
}
