/** Projects and what is in them. */
import type { projectChannels } from '../../../shared/contract/projects.js';
import { interrupted } from '../../jobs/types.js';
import { freeFolder, freePath } from '../../services/drafts/draft-check.js';
import type { Services } from '../../services/index.js';
import { completionsPage, lastEvents, samplesOverTime } from '../../services/projects/pages.js';
import { rewardExamples, rewardSummary } from '../../services/projects/reward-data.js';
import { takeOver } from '../../storage/disk/lock.js';
import { archivedName, exportProject, importProject } from '../../storage/projects/project-archive.js';
import { readReports, readUnfinished } from '../../storage/projects/project-facts.js';
import { openProject, renameProject } from '../../storage/projects/project-folder.js';
import type { Handlers, Named } from '../handler.js';
import { dialogsOf } from './files.js';

export function projectHandlers(services: Services): Handlers<Named<typeof projectChannels>> {
  const { projects, registry, files, making, deletion, supervisor, metrics, settings, publishProject } = services;
  const { folderOf } = projects;
  return {
    'projects.list': async (_, { progress }) => ({
      projects: await projects.list((some) => progress({ projects: [...some] })),
    }),
    'projects.get': ({ id }) => projects.get(id),
    'projects.open'({ folder }) {
      const path = files.pathOf(folder);
      openProject(path);
      const id = registry.idOf(path);
      publishProject(id);
      return { id };
    },
    'projects.rename'({ id, name }) {
      renameProject(folderOf(id), name);
      publishProject(id);
      return {};
    },
    'projects.takeOver'({ id }) {
      takeOver(folderOf(id));
      publishProject(id);
      return {};
    },
    'projects.reveal'({ id }, { caller }) {
      dialogsOf(caller).reveal(folderOf(id));
      return {};
    },
    'projects.delete'({ id }) {
      supervisor.remove(registry.folderOf(id));
      const undo = deletion.remove(id, projects.summary(id).name);
      publishProject(id);
      return { undo };
    },
    'projects.restore'({ undo }) {
      const id = deletion.restore(undo);
      publishProject(id);
      return { id };
    },
    'projects.deleted': () => deletion.list(),
    async 'projects.empty'() {
      await deletion.empty();
      return {};
    },
    ...givingAway(services),
    async 'projects.import'({ file }, { signal }) {
      const archive = files.pathOf(file);
      const folder = freeFolder(settings.projectsFolder(), archivedName(archive));
      await importProject(archive, folder, { onProgress: cancellable(signal) });
      const id = registry.idOf(folder);
      publishProject(id);
      return { id };
    },
    async 'projects.sample'({ begin, name }) {
      const { id, folder } = making.sample(begin, name);
      publishProject(id);
      await supervisor.start(folder);
      return { id };
    },
    'projects.reports'({ id }) {
      const folder = folderOf(id);
      return { reports: [...readReports(folder)], unfinished: readUnfinished(folder) };
    },
    'projects.events': ({ id, count }) => ({ events: lastEvents(folderOf(id), count) }),
    'metrics.window': ({ id, cycle, phase, ...window }) => metrics.window(folderOf(id), cycle, phase, window),
    'samples.overTime': ({ id, cycle, most, around }) => samplesOverTime(folderOf(id), cycle, most, around),
    'completions.page': ({ id, cycle, ...query }) => completionsPage(folderOf(id), cycle, query),
    'rewardData.summary': ({ id, cycle }) => rewardSummary(folderOf(id), cycle),
    'rewardData.examples': ({ id, cycle, order, ...page }) => rewardExamples(folderOf(id), cycle, order, page),
  };
}

/** What others are given of a project: the whole, its model, a report. */
function givingAway({ projects: { folderOf }, files, supervisor, now }: Services) {
  return {
    async 'projects.export'({ id, file }, { signal }) {
      const bytes = await exportProject(folderOf(id), files.pathOf(file, 'write'), { onProgress: cancellable(signal) });
      return { bytes };
    },
    async 'projects.exportPlace'({ id, format }, { caller }) {
      const free = freePath(`${folderOf(id)}-${format}`);
      const path = caller.dialogs ? await caller.dialogs.chooseSave({ purpose: 'modelFolder', suggested: free }) : free;
      return { folder: path === null ? null : files.give(path, 'write') };
    },
    async 'projects.exportModel'({ id, format, language, folder: handle }, { signal, progress }) {
      const folder = folderOf(id);
      const out_dir = files.pathOf(handle, 'write');
      const onProgress = (done: { readonly done: number; readonly total: number }) => progress(done);
      await supervisor.call('exportModel', { folder, format, out_dir, language }, { onProgress, signal });
      return { folder: files.give(out_dir), place: out_dir };
    },
    async 'projects.saveReport'({ ids, format, file, language }) {
      const { writeReport } = await import('../../jobs/report/report.js');
      const path = files.pathOf(file, 'write');
      const { bytes } = await writeReport({ projects: ids.map(folderOf), format, file: path, language }, { now });
      return { file: files.give(path, 'write'), bytes: bytes ?? 0 };
    },
    async 'projects.circumstances'({ id }) {
      const { projectCircumstances } = await import('../../jobs/report/gather.js');
      const { settings, changes, environments, data, verisim } = await projectCircumstances(openProject(folderOf(id)));
      return { settings, changes: [...changes], environments: [...environments], data: [...data], verisim };
    },
  } satisfies Partial<Handlers<Named<typeof projectChannels>>>;
}

/** Yields to other work, and stops when the caller is gone. */
const cancellable = (signal: AbortSignal) => async () => {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw interrupted();
};
