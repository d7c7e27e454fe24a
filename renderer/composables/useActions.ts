/** What menus and buttons do with projects and drafts. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { useRouter } from 'vue-router';
import { archiveName } from '../../shared/config/file-kinds.js';
import type { Input } from '../../shared/contract/index.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { FileInfo, GivenSettings } from '../../shared/contract/values.js';
import { plainTraining } from '../../shared/reports/cycle-control.js';
import { versionWords } from '../format/words.js';
import { t } from '../messages/index.js';
import { useProjects } from '../stores/stores.js';
import type { StepName } from '../wizard/steps.js';
import { useAsk } from './useAsk.js';
import { nameOfText } from './useDraft.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import { useSaved } from './useSaving.js';

export function useSteering() {
  const { ask } = useAsk();
  const toast = useToast();
  const projects = useProjects();
  const router = useRouter();

  const start = (id: string, device?: 'cpu') => ask('runs.start', { id, device });
  /** Shows the project, where the new version is being trained. */
  async function learn(id: string) {
    if (await ask('runs.learn', { id })) await router.push(`/project/${id}`);
  }
  const pause = (id: string) => ask('runs.pause', { id });
  const resume = (id: string) => ask('runs.resume', { id });
  const stop = (id: string, after: 'step' | 'phase') => ask('runs.stop', { id, after });
  /** Shown at once in the activity's line: measuring and writing at the end of a phase take a while. */
  async function skip(id: string) {
    projects.endPhase(id);
    if (await ask('runs.skip', { id }))
      toast.add({ title: t('project.controls.skipped'), icon: 'i-lucide-skip-forward' });
    else projects.keepOn(id);
  }
  return { start, learn, pause, resume, stop, skip };
}

/** Long enough to read the sentence and reconsider. */
const UNDO_MILLISECONDS = 15_000;

export function useProjectActions() {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const router = useRouter();
  const format = useFormat();
  const notifySaved = useSaved();

  async function remove({ id, name }: ProjectSummary) {
    const deleted = await ask('projects.delete', { id });
    if (!deleted) return false;
    toast.add({
      title: t('home.deleted', { name }),
      icon: 'i-lucide-trash-2',
      duration: UNDO_MILLISECONDS,
      actions: [
        {
          label: t('app.undo'),
          onClick: () => {
            void ask('projects.restore', deleted).then((back) => {
              if (back) toast.add({ title: t('home.restored', { name }), icon: 'i-lucide-undo-2' });
            });
          },
        },
      ],
    });
    return true;
  }

  async function trySample(begin: 'model' | 'nothing' = 'model') {
    const sample = await ask('projects.sample', { begin, name: t(`home.sampleNames.${begin}`) });
    if (sample) await router.push(`/project/${sample.id}`);
  }

  async function openFolder() {
    const folder = await choose('project');
    const opened = folder && (await ask('projects.open', { folder: folder.handle }));
    if (opened) await router.push(`/project/${opened.id}`);
  }
  async function importArchive() {
    const file = await choose('archive');
    const imported = file && (await ask('projects.import', { file: file.handle }));
    if (imported) await router.push(`/project/${imported.id}`);
  }

  /** @returns the file; null if none was written */
  async function exportTo({ id, name }: ProjectSummary) {
    const file = await chooseSave('archive', archiveName(name));
    const written = file && (await ask('projects.export', { id, file: file.handle }));
    if (!written) return null;
    notifySaved(file, t('home.exported', { name, size: format.bytes(written.bytes) }));
    return file;
  }

  const reveal = ({ id }: ProjectSummary) => ask('projects.reveal', { id });
  const rename = (id: string, name: string) => ask('projects.rename', { id, name });
  return { remove, ...useDraftActions(), trySample, openFolder, importArchive, exportTo, rename, reveal };
}

function useDraftActions() {
  const { ask } = useAsk();
  const router = useRouter();

  /** Creates a draft and opens a page of the wizard: the first, or the review of all settings. */
  async function openDraft(from: Input<'drafts.create'> & { name: string }, step: StepName, changes?: GivenSettings) {
    const draft = await ask('drafts.create', { ...from, name: from.name.slice(0, 200) });
    if (!draft) return;
    if (changes && !(await ask('drafts.save', { id: draft.id, given: { ...draft.given, ...changes } }))) return;
    await router.push(`/new/${draft.id}/${step}`);
  }
  /** Sets up an empty draft, or one with a project's settings. */
  const setUp = (project?: ProjectSummary, changes?: GivenSettings) =>
    openDraft(
      project ? { project: project.id, name: t('home.copyOf', { name: project.name }) } : { name: t('wizard.title') },
      changes ? 'review' : 'text',
      changes,
    );
  /** Sets up a project that learns from a text. */
  async function setUpText(file: FileInfo) {
    const draft = await ask('drafts.create', { name: nameOfText(file) });
    if (draft && (await ask('drafts.save', { id: draft.id, given: { ...draft.given, data_path: file.handle } })))
      await router.push({ path: `/new/${draft.id}/text`, query: { text: 'new' } });
  }
  /** Continues from a project's trained model, with its settings. */
  const after = (id: string, model: string, name: string, changes?: GivenSettings) =>
    openDraft({ project: id, model, name }, 'review', changes);
  const fork = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.fork.name', { project: name, model: versionWords(model) }));
  /** Trains the model further without cycles. */
  const trainOn = ({ id, name }: ProjectSummary, model: string) =>
    after(id, model, t('project.outcome.trainOnName', { project: name }), plainTraining);
  return { setUp, setUpText, fork, trainOn };
}
