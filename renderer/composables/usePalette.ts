/** Lists the palette's commands: of the open project, of the training one, and general ones. */
import { computed, ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { shortcutKey } from '../format/words.js';
import { isTraining } from '../project/project.js';
import { useProjects } from '../stores/stores.js';
import { t } from '../messages/index.js';
import { useCommands, type Command } from './useCommands.js';

export const paletteOpen = ref(false);

/** Every command closes the palette. */
const entry = ({ label, icon, act, blocked, kbds }: Command) => ({
  ...{ label, icon },
  ...(blocked !== undefined && { disabled: true, suffix: blocked }),
  ...(kbds && { kbds: [shortcutKey(), ...kbds] }),
  onSelect: () => {
    paletteOpen.value = false;
    void act();
  },
});

export function usePalette() {
  const router = useRouter();
  const route = useRoute();
  const projects = useProjects();
  const commands = useCommands();

  /** Computed only while the palette is open: running projects change four times a second. */
  const groups = computed(() => {
    if (!paletteOpen.value) return [];
    // The open project, or else the one that was last worked on.
    const open = String(route.params['id'] ?? route.query['project'] ?? '');
    const here = projects.get(open) ?? projects.all[0];
    const running = projects.all.find(({ id, state }) => isTraining(state) && id !== here?.id);
    const about = (id: string, project: ProjectSummary | undefined, list: readonly Command[]) =>
      project ? [{ id, label: projects.labelOf(project.id), items: list.map(entry) }] : [];
    return [
      ...about('here', here, here ? commands.forProject(here).flat() : []),
      ...about('running', running, running ? commands.steer(running) : []),
      {
        id: 'projects',
        label: t('palette.projects'),
        items: projects.all.map(({ id, state }) => ({
          label: projects.labelOf(id),
          icon: 'i-lucide-arrow-right',
          suffix: t(`states.${state}`),
          onSelect: () => {
            paletteOpen.value = false;
            void router.push(`/project/${id}`);
          },
        })),
      },
      { id: 'go', label: t('palette.go'), items: commands.anywhere().map(entry) },
      { id: 'look', label: t('palette.look'), items: commands.themes().map(entry) },
    ];
  });
  return { groups };
}
