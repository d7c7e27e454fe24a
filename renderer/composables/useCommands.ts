/** Defines every command once, with its condition: menus, buttons and the palette take it from here. */
import type { DropdownMenuItem } from '@nuxt/ui';
import { ref, shallowRef } from 'vue';
import { useRouter } from 'vue-router';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { artefactName } from '../../shared/phases/index.js';
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
  /** Keys that are pressed with Ctrl or ⌘. */
  readonly kbds?: readonly string[];
}

/** A command where its condition holds, or none. */
const when = (
  isPossible: boolean,
  id: string,
  icon: string,
  label: string,
  act: () => unknown,
  more: Pick<Command, 'blocked' | 'kbds'> = {},
): Command[] => (isPossible ? [{ id, icon, label, act, ...more }] : []);

export type DialogName = 'rename' | 'export' | 'extend' | 'change';
/** The dialog about a project that is open; components/project/ProjectDialogs.vue shows it. */
export const dialog = shallowRef<{ readonly name: DialogName; readonly project: ProjectSummary } | null>(null);
const open = (name: DialogName, project: ProjectSummary) => () => (dialog.value = { name, project });
/** The project that another is to be chosen for on the start page. */
export const comparing = ref<string | null>(null);

export const itemOf = ({ id, label, icon, act, blocked }: Command): DropdownMenuItem => ({
  ...{ label, icon },
  ...(id === 'delete' && { color: 'error' }),
  ...(blocked !== undefined && { disabled: true, description: blocked }),
  onSelect: () => void act(),
});

/** Returns the commands that a run takes in its present state. */
function useRunCommands() {
  const steering = useSteering();
  const { ask } = useAsk();
  const leaveQueue = (project: string) => ask('queue.remove', { project });
  return function steer(project: ProjectSummary): Command[] {
    const { id, state } = project;
    const training = isTraining(state);
    const begin = state === 'new' ? t('project.controls.start') : t('project.controls.goOn');
    const stop = (when: 'stopStep' | 'stopPhase') => t('palette.stop', { when: t(`project.controls.${when}`) });
    const longer = state !== 'elsewhere' && !isUnreadable(state);
    return [
      when(canStart(state), 'start', 'i-lucide-play', begin, () => steering.start(id)),
      when(state === 'running', 'pause', 'i-lucide-pause', t('project.controls.pause'), () => steering.pause(id)),
      when(state === 'paused', 'resume', 'i-lucide-play', t('project.controls.resume'), () => steering.resume(id)),
      when(training, 'stopStep', 'i-lucide-square', stop('stopStep'), () => steering.stop(id, 'step')),
      when(training, 'stopPhase', 'i-lucide-flag', stop('stopPhase'), () => steering.stop(id, 'phase')),
      when(state === 'queued', 'unqueue', 'i-lucide-x', t('project.controls.stop'), () => leaveQueue(id)),
      when(training, 'skip', 'i-lucide-skip-forward', t('project.controls.skip'), () => steering.skip(id)),
      when(longer, 'extend', 'i-lucide-timer', t('project.controls.extend'), open('extend', project)),
      when(training, 'change', 'i-lucide-sliders-horizontal', t('project.controls.change'), open('change', project)),
    ].flat();
  };
}

export function useCommands() {
  const router = useRouter();
  const actions = useProjectActions();
  const steer = useRunCommands();
  const { learn } = useSteering();
  const settings = useSettings();
  const app = useAppInfo();
  const { saveReport } = useReport();

  /** What can be done with a trained model, then with the project. */
  function use(project: ProjectSummary): Command[] {
    const { id, cycle } = project;
    const isTrained = cycle >= 0;
    const page = (path: string) => () => router.push({ path, query: { project: id } });
    const fork = () => actions.fork(project, artefactName('base_model', cycle));
    const compare = () => {
      comparing.value = id;
      return router.push('/');
    };
    return [
      when(isTrained, 'write', 'i-lucide-pen-line', t('palette.write'), page('/write')),
      when(isTrained, 'rate', 'i-lucide-ear', t('palette.rate'), () => router.push(`/project/${id}/rate`)),
      when(isTrained, 'learn', 'i-lucide-graduation-cap', t('project.learn.label'), () => learn(id)),
      when(isTrained, 'fork', 'i-lucide-git-fork', t('palette.fork'), fork),
      when(true, 'export', 'i-lucide-package', t('home.actions.export'), open('export', project)),
      when(true, 'report', 'i-lucide-file-text', t('palette.report'), () => saveReport([project], 'html')),
      when(true, 'compare', 'i-lucide-columns-2', t('home.actions.compare'), compare),
    ].flat();
  }

  function manage(project: ProjectSummary): Command[] {
    const inApp = app.info?.transport === 'electron';
    return [
      when(true, 'clone', 'i-lucide-copy', t('home.actions.clone'), () => actions.setUp(project)),
      when(true, 'rename', 'i-lucide-pencil', t('home.actions.rename'), open('rename', project)),
      when(inApp, 'reveal', 'i-lucide-folder', t('home.actions.reveal'), () => actions.reveal(project)),
    ].flat();
  }

  function remove(project: ProjectSummary): Command[] {
    const blocked = isTraining(project.state) || project.state === 'queued' ? t('home.actions.whileActive') : undefined;
    const act = async () => {
      const isHere = router.currentRoute.value.params['id'] === project.id;
      if ((await actions.remove(project)) && isHere) await router.push('/');
    };
    return when(true, 'delete', 'i-lucide-trash-2', t('home.actions.delete'), act, blocked ? { blocked } : {});
  }

  /** All commands of a project in groups; the one that deletes it is a group of its own. */
  function forProject(project: ProjectSummary): Command[][] {
    const readable = isUnreadable(project.state) ? [] : [steer(project), use(project), manage(project)];
    return [...readable, remove(project)].filter((group) => group.length > 0);
  }

  const anywhere = (): Command[] =>
    [
      when(true, 'new', 'i-lucide-plus', t('home.newProject'), () => actions.setUp(), { kbds: ['shift', 'N'] }),
      when(true, 'sample', 'i-lucide-play', t('home.sample'), () => actions.trySample()),
      when(true, 'sampleScratch', 'i-lucide-sprout', t('home.sampleScratch'), () => actions.trySample('nothing')),
      when(true, 'openFolder', 'i-lucide-folder-open', t('palette.openFolder'), actions.openFolder),
      when(true, 'importArchive', 'i-lucide-package-open', t('palette.importArchive'), actions.importArchive),
      when(true, 'home', 'i-lucide-layout-grid', t('nav.home'), () => router.push('/')),
      when(true, 'writing', 'i-lucide-pen-line', t('nav.write'), () => router.push('/write')),
      when(true, 'settings', 'i-lucide-settings-2', t('nav.settings'), () => router.push('/settings'), { kbds: [','] }),
    ].flat();
  const themes = (): Command[] =>
    (['light', 'dark', 'system'] as const).flatMap((theme) => {
      const label = t('palette.theme', { name: t(`settings.themes.${theme}`) });
      return when(true, theme, 'i-lucide-sun-moon', label, () => settings.change({ theme }));
    });

  return { steer, forProject, anywhere, themes };
}
