/** Controls training from its page and from the command palette. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { useProjects } from '../stores/projects.js';
import { t } from '../messages/index.js';
import { useAsk } from './useAsk.js';

export function useSteering() {
  const { ask } = useAsk();
  const toast = useToast();
  const projects = useProjects();

  const start = (id: string) => ask('runs.start', { id });
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
  return { start, pause, resume, stop, skip };
}
