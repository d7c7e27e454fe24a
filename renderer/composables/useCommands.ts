/** Defines every command once, with its condition: menus, buttons and the palette take it from here. */
import type { DropdownMenuItem } from '@nuxt/ui';
import { ref, shallowRef } from 'vue';
import { useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { artefactName } from '../../shared/phases/index.js';
import { shortcutKey } from '../format/words.js';
import { t } from '../messages/index.js';
import { canStart, isTraining, isUnreadable } from '../project/project.js';
import { useAppInfo, useSettings } from '../stores/stores.js';
import { useProjectActions, useSteering } from './useActions.js';
import { useAsk } from './useAsk.js';
import { useReport } from './useSaving.js';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly act: () => unknown;
  /** Why it is impossible now. */
  readonly blocked?: string;
  readonly kbds?: readonly string[];
}

export type DialogName = 'rename' | 'note' | 'export' | 'extend' | 'change';
/** The dialog about a project that is open; components/project/ProjectDialogs.vue shows it. */
export const dialog = shallowRef<{ readonly name: DialogName; readonly project: ProjectSummary } | null>(null);
/** The project that another is to be chosen for on the start page. */
export const comparing = ref<string | null>(null);

export const itemOf = ({ id, label, icon, act, blocked }: Command): DropdownMenuItem => ({
  ...{ label, icon },
  ...(id === 'delete' && { color: 'error' }),
  ...(blocked !== undefined && { disabled: true, description: blocked }),
  onSelect: () => void act(),
});

export function useCommands() {
  const router = useRouter();
  const actions = useProjectActions();
  const steering = useSteering();
  const settings = useSettings();
  const app = useAppInfo();
  const { ask } = useAsk();
  const { saveReport } = useReport();
  const open = (name: DialogName, project: ProjectSummary) => () => (dialog.value = { name, project });

  /** What a run can be told, in its present state. */
  function steer(project: ProjectSummary): Command[] {
    const { id, state } = project;
    const training = isTraining(state);
    const stop = (when: 'stopStep' | 'stopPhase') => t('palette.stop', { when: t(`project.controls.${when}`) });
    const all: readonly (Command | false)[] = [
      canStart(state) && {
        id: 'start',
        label: state === 'new' ? t('project.controls.start') : t('project.controls.goOn'),
        icon: 'i-lucide-play',
        act: () => steering.start(id),
      },
      state === 'running' && {
        ...{ id: 'pause', label: t('project.controls.pause'), icon: 'i-lucide-pause' },
        act: () => steering.pause(id),
      },
      state === 'paused' && {
        ...{ id: 'resume', label: t('project.controls.resume'), icon: 'i-lucide-play' },
        act: () => steering.resume(id),
      },
      training && {
        ...{ id: 'stopStep', label: stop('stopStep'), icon: 'i-lucide-square' },
        act: () => steering.stop(id, 'step'),
      },
      training && {
        ...{ id: 'stopPhase', label: stop('stopPhase'), icon: 'i-lucide-flag' },
        act: () => steering.stop(id, 'phase'),
      },
      state === 'queued' && {
        ...{ id: 'unqueue', label: t('project.controls.stop'), icon: 'i-lucide-x' },
        act: () => ask('queue.remove', { project: id }),
      },
      training && {
        ...{ id: 'skip', label: t('project.controls.skip'), icon: 'i-lucide-skip-forward' },
        act: () => steering.skip(id),
      },
      state !== 'elsewhere' &&
        !isUnreadable(state) && {
          ...{ id: 'extend', label: t('project.controls.extend'), icon: 'i-lucide-timer' },
          act: open('extend', project),
        },
      training && {
        ...{ id: 'change', label: t('project.controls.change'), icon: 'i-lucide-sliders-horizontal' },
        act: open('change', project),
      },
    ];
    return all.filter((command) => command !== false);
  }

  /** What can be done with a trained model, then with the project. */
  function use(project: ProjectSummary): Command[] {
    const { id, cycle } = project;
    if (isUnreadable(project.state)) return [];
    const model = artefactName('base_model', cycle);
    const trained: Command[] = [
      {
        ...{ id: 'write', label: t('palette.write'), icon: 'i-lucide-pen-line' },
        act: () => router.push({ path: '/playground', query: { project: id } }),
      },
      {
        ...{ id: 'rate', label: t('palette.rate'), icon: 'i-lucide-ear' },
        act: () => router.push(`/project/${id}/rate`),
      },
      {
        ...{ id: 'fork', label: t('palette.fork'), icon: 'i-lucide-git-fork' },
        act: () => actions.fork(project, model),
      },
    ];
    return [
      ...(cycle < 0 ? [] : trained),
      { id: 'export', label: t('home.actions.export'), icon: 'i-lucide-package', act: open('export', project) },
      {
        ...{ id: 'report', label: t('palette.report'), icon: 'i-lucide-file-chart-column' },
        act: () => saveReport([project], 'html'),
      },
      {
        ...{ id: 'compare', label: t('home.actions.compare'), icon: 'i-lucide-columns-2' },
        act: () => {
          comparing.value = id;
          return router.push('/');
        },
      },
    ];
  }

  function manage(project: ProjectSummary): Command[] {
    if (isUnreadable(project.state)) return [];
    return [
      {
        ...{ id: 'clone', label: t('home.actions.clone'), icon: 'i-lucide-copy' },
        act: () => actions.setUp(project),
      },
      { id: 'rename', label: t('home.actions.rename'), icon: 'i-lucide-pencil', act: open('rename', project) },
      { id: 'note', label: t('home.actions.note'), icon: 'i-lucide-sticky-note', act: open('note', project) },
      ...(app.info?.transport === 'electron'
        ? [
            {
              ...{ id: 'reveal', label: t('home.actions.reveal'), icon: 'i-lucide-folder' },
              act: () => actions.reveal(project),
            },
          ]
        : []),
    ];
  }

  const remove = (project: ProjectSummary): Command => ({
    ...{ id: 'delete', label: t('home.actions.delete'), icon: 'i-lucide-trash-2' },
    ...((isTraining(project.state) || project.state === 'queued') && { blocked: t('home.actions.whileActive') }),
    async act() {
      const isHere = router.currentRoute.value.params['id'] === project.id;
      if ((await actions.remove(project)) && isHere) await router.push('/');
    },
  });

  /** All commands of a project in groups; the one that deletes it stands apart. */
  const forProject = (project: ProjectSummary): Command[][] =>
    [steer(project), use(project), manage(project), [remove(project)]].filter((group) => group.length > 0);

  const anywhere = (): Command[] => [
    {
      ...{ id: 'new', label: t('home.newProject'), icon: 'i-lucide-plus' },
      ...{ act: () => actions.setUp(), kbds: [shortcutKey(), 'shift', 'N'] },
    },
    { id: 'sample', label: t('home.sample'), icon: 'i-lucide-play', act: () => actions.trySample() },
    {
      ...{ id: 'sampleScratch', label: t('home.sampleScratch'), icon: 'i-lucide-sprout' },
      act: () => actions.trySample('nothing'),
    },
    { id: 'openFolder', label: t('palette.openFolder'), icon: 'i-lucide-folder-open', act: actions.openFolder },
    {
      ...{ id: 'importArchive', label: t('palette.importArchive'), icon: 'i-lucide-package-open' },
      act: actions.importArchive,
    },
    { id: 'home', label: t('nav.home'), icon: 'i-lucide-layout-grid', act: () => router.push('/') },
    { id: 'playground', label: t('nav.playground'), icon: 'i-lucide-pen-line', act: () => router.push('/playground') },
    {
      ...{ id: 'settings', label: t('nav.settings'), icon: 'i-lucide-settings-2' },
      ...{ act: () => router.push('/settings'), kbds: [shortcutKey(), ','] },
    },
  ];
  const themes = (): Command[] =>
    (['light', 'dark', 'system'] as const).map((theme) => ({
      ...{ id: theme, label: t('palette.theme', { name: t(`settings.themes.${theme}`) }), icon: 'i-lucide-sun-moon' },
      act: () => settings.change({ theme }),
    }));

  return { steer, forProject, anywhere, themes };
}
