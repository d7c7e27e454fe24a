/** Lists the palette's commands: for the training project, for the open one, and general ones. */
import { computed, ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { shortcutKey } from '../format/words.js';
import { canStart, isTraining, isUnreadable } from '../project/project.js';
import { useProjects, useSettings } from '../stores/stores.js';
import { t } from '../messages/index.js';
import { useProjectActions, useSteering } from './useActions.js';

export const paletteOpen = ref(false);

interface Command {
  readonly label: string;
  readonly icon: string;
  readonly suffix?: string;
  readonly description?: string;
  readonly kbds?: string[];
  readonly onSelect: () => void;
}

/** Tags and notes are searched, too. */
const noted = (notes: ProjectSummary['notes']) =>
  notes ? { description: [...notes.tags, notes.text].filter(Boolean).join(' · ').slice(0, 200) } : {};

/** Every command closes the palette. */
const command = (label: string, icon: string, act: () => unknown, more: Partial<Command> = {}): Command => ({
  ...more,
  ...{ label, icon },
  onSelect: () => {
    paletteOpen.value = false;
    void act();
  },
});

export function usePalette() {
  const router = useRouter();
  const route = useRoute();
  const projects = useProjects();
  const settings = useSettings();
  const actions = useProjectActions();
  const steering = useSteering();

  const steer = ({ id, state }: ProjectSummary): Command[] => [
    state === 'paused'
      ? command(t('project.controls.resume'), 'i-lucide-play', () => steering.resume(id))
      : command(t('project.controls.pause'), 'i-lucide-pause', () => steering.pause(id)),
    command(t('palette.stop', { when: t('project.controls.stopStep') }), 'i-lucide-square', () =>
      steering.stop(id, 'step'),
    ),
    command(t('palette.stop', { when: t('project.controls.stopPhase') }), 'i-lucide-flag', () =>
      steering.stop(id, 'phase'),
    ),
    command(t('project.controls.skip'), 'i-lucide-skip-forward', () => steering.skip(id)),
  ];
  const withIt = (project: ProjectSummary): Command[] => [
    ...(canStart(project.state)
      ? [
          command(
            project.state === 'new' ? t('project.controls.start') : t('project.controls.goOn'),
            'i-lucide-play',
            () => steering.start(project.id),
          ),
        ]
      : []),
    command(t('palette.write'), 'i-lucide-pen-line', () =>
      router.push({ path: '/playground', query: { project: project.id } }),
    ),
    command(t('palette.rate'), 'i-lucide-ear', () => router.push(`/project/${project.id}/rate`)),
    command(t('home.actions.clone'), 'i-lucide-copy', () => actions.setUp(project)),
    command(t('home.actions.reveal'), 'i-lucide-folder', () => actions.reveal(project)),
  ];
  const anywhere = (): Command[] => [
    command(t('home.newProject'), 'i-lucide-plus', () => actions.setUp(), { kbds: [shortcutKey(), 'shift', 'N'] }),
    command(t('home.sample'), 'i-lucide-play', () => actions.trySample()),
    command(t('palette.openFolder'), 'i-lucide-folder-open', actions.openFolder),
    command(t('palette.importArchive'), 'i-lucide-package-open', actions.importArchive),
    command(t('nav.home'), 'i-lucide-layout-grid', () => router.push('/')),
    command(t('nav.playground'), 'i-lucide-pen-line', () => router.push('/playground')),
    command(t('nav.settings'), 'i-lucide-settings-2', () => router.push('/settings'), { kbds: [shortcutKey(), ','] }),
  ];
  const themes = (): Command[] =>
    (['light', 'dark', 'system'] as const).map((theme) =>
      command(t('palette.theme', { name: t(`settings.themes.${theme}`) }), 'i-lucide-sun-moon', () =>
        settings.change({ theme }),
      ),
    );

  /** Computed only while the palette is open: running projects change four times a second. */
  const groups = computed(() => {
    if (!paletteOpen.value) return [];
    const running = projects.all.find(({ state }) => isTraining(state));
    const here = projects.get(String(route.params['id'] ?? ''));
    return [
      ...(running
        ? [{ id: 'running', label: t('palette.running', { name: running.name }), items: steer(running) }]
        : []),
      ...(here && !isUnreadable(here.state) ? [{ id: 'here', label: here.name, items: withIt(here) }] : []),
      {
        id: 'projects',
        label: t('palette.projects'),
        items: projects.all.map(({ id, name, state, notes }) =>
          command(name, 'i-lucide-arrow-right', () => router.push(`/project/${id}`), {
            suffix: t(`states.${state}`),
            ...noted(notes),
          }),
        ),
      },
      { id: 'go', label: t('palette.go'), items: anywhere() },
      { id: 'look', label: t('palette.look'), items: themes() },
    ];
  });
  return { groups };
}
