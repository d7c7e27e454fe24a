/** Everything one can do from here, by its name, for the palette of commands: with the project that trains, with the one that is looked at, and anywhere. */
import { computed, ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { shortcutKey } from '../format/shortcut-key.js';
import { canStart, isTraining, isUnreadable } from '../project/states.js';
import { useProjects } from '../stores/projects.js';
import { useSettings } from '../stores/settings.js';
import { strings } from '../strings/index.js';
import { useProjectActions } from './useProjectActions.js';
import { useSteering } from './useSteering.js';

export const paletteOpen = ref(false);

interface Command {
  readonly label: string;
  readonly icon: string;
  readonly suffix?: string;
  readonly description?: string;
  readonly kbds?: string[];
  readonly onSelect: () => void;
}

/** It is found by its tags and note, too. */
const noted = (notes: ProjectSummary['notes']) =>
  notes ? { description: [...notes.tags, notes.text].filter(Boolean).join(' · ').slice(0, 200) } : {};

/** Whatever is chosen, the palette is left. */
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
  const { home, nav, palette: words, settings: settingWords, states } = strings;
  const controls = strings.project.controls;

  const steer = ({ id, state }: ProjectSummary): Command[] => [
    state === 'paused'
      ? command(controls.resume, 'i-lucide-play', () => steering.resume(id))
      : command(controls.pause, 'i-lucide-pause', () => steering.pause(id)),
    command(words.stop(controls.stopStep), 'i-lucide-square', () => steering.stop(id, 'step')),
    command(words.stop(controls.stopPhase), 'i-lucide-flag', () => steering.stop(id, 'phase')),
    command(controls.skip, 'i-lucide-skip-forward', () => steering.skip(id)),
  ];
  const withIt = (project: ProjectSummary): Command[] => [
    ...(canStart(project.state)
      ? [
          command(project.state === 'new' ? controls.start : controls.goOn, 'i-lucide-play', () =>
            steering.start(project.id),
          ),
        ]
      : []),
    command(words.write, 'i-lucide-pen-line', () =>
      router.push({ path: '/playground', query: { project: project.id } }),
    ),
    command(words.rate, 'i-lucide-ear', () => router.push(`/project/${project.id}/rate`)),
    command(home.actions.clone, 'i-lucide-copy', () => actions.setUp(project)),
    command(home.actions.reveal, 'i-lucide-folder', () => actions.reveal(project)),
  ];
  const anywhere = (): Command[] => [
    command(home.newProject, 'i-lucide-plus', () => actions.setUp(), { kbds: [shortcutKey(), 'shift', 'N'] }),
    command(home.sample, 'i-lucide-play', () => actions.trySample()),
    command(words.openFolder, 'i-lucide-folder-open', actions.openFolder),
    command(words.importArchive, 'i-lucide-package-open', actions.importArchive),
    command(nav.home, 'i-lucide-layout-grid', () => router.push('/')),
    command(nav.playground, 'i-lucide-pen-line', () => router.push('/playground')),
    command(nav.settings, 'i-lucide-settings-2', () => router.push('/settings'), { kbds: [shortcutKey(), ','] }),
  ];
  const themes = (): Command[] =>
    (['light', 'dark', 'system'] as const).map((theme) =>
      command(words.theme(settingWords.themes[theme]), 'i-lucide-sun-moon', () => settings.change({ theme })),
    );

  /** Made only while it is looked at: what trains changes four times a second. */
  const groups = computed(() => {
    if (!paletteOpen.value) return [];
    const running = projects.all.find(({ state }) => isTraining(state));
    const here = projects.get(String(route.params['id'] ?? ''));
    return [
      ...(running ? [{ id: 'running', label: words.running(running.name), items: steer(running) }] : []),
      ...(here && !isUnreadable(here.state) ? [{ id: 'here', label: here.name, items: withIt(here) }] : []),
      {
        id: 'projects',
        label: words.projects,
        items: projects.all.map(({ id, name, state, notes }) =>
          command(name, 'i-lucide-arrow-right', () => router.push(`/project/${id}`), {
            suffix: states[state],
            ...noted(notes),
          }),
        ),
      },
      { id: 'go', label: words.go, items: anywhere() },
      { id: 'look', label: words.look, items: themes() },
    ];
  });
  return { groups };
}
