/** Provides the actions on a project's card and page. Destructive ones offer an undo. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { useRouter } from 'vue-router';
import { archiveName } from '../../shared/config/file-kinds.js';
import type { ProjectNotes, ProjectSummary } from '../../shared/contract/projects.js';
import { t } from '../messages/index.js';
import { useAsk } from './useAsk.js';
import { useDraftActions } from './useDraftActions.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import { useSaved } from './useSaved.js';

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

  async function exportTo({ id, name }: ProjectSummary) {
    const file = await chooseSave('archive', archiveName(name));
    const written = file && (await ask('projects.export', { id, file: file.handle }));
    if (written) notifySaved(file, t('home.exported', { name, size: format.bytes(written.bytes) }));
  }

  const reveal = ({ id }: ProjectSummary) => ask('projects.reveal', { id });
  const note = (id: string, notes: ProjectNotes) => ask('projects.note', { id, notes });
  const rename = (id: string, name: string) => ask('projects.rename', { id, name });
  return { remove, ...useDraftActions(), trySample, openFolder, importArchive, exportTo, rename, note, reveal };
}
