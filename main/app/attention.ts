/** Shows training on the desktop: progress on the icon, notifications; keeps the computer awake while it trains. */
import { Notification, app, powerSaveBlocker, type BrowserWindow } from 'electron';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { TopicMessage } from '../../shared/contract/topics.js';
import type { Caller } from '../ipc/caller.js';
import type { Dispatcher } from '../ipc/dispatcher.js';
import type { EventBus } from '../services/event-bus.js';
import { noticeOf, shareOf, waitingAmong, type Notice } from './run-news.js';

interface AttentionOptions {
  readonly bus: EventBus;
  readonly dispatcher: Dispatcher;
  readonly keepsAwake: () => boolean;
  readonly window: () => BrowserWindow | null;
  readonly icon: string;
}

/** @returns ends it */
export function watchRuns({ bus, dispatcher, keepsAwake, window, icon }: AttentionOptions): () => void {
  const known = new Map<string, ProjectSummary>();
  let awake: number | null = null;
  let ended = false;

  const running = () => [...known.values()].find(({ state }) => state === 'running' || state === 'paused') ?? null;
  const show = () => {
    const shown = window();
    if (shown?.isMinimized()) shown.restore();
    shown?.show();
    shown?.focus();
  };
  const notify = ({ title, body }: Notice) => {
    if (!Notification.isSupported() || window()?.isFocused()) return;
    const notification = new Notification({ title, body, icon });
    notification.on('click', show);
    notification.show();
  };
  const caller: Caller = { transport: 'electron', dialogs: null };

  const keepAwake = () => {
    const wanted = keepsAwake() && running()?.state === 'running';
    if (wanted && awake === null) awake = powerSaveBlocker.start('prevent-app-suspension');
    if (!wanted && awake !== null) {
      powerSaveBlocker.stop(awake);
      awake = null;
    }
  };
  const update = () => {
    const shown = window();
    const project = running();
    if (shown !== null && !shown.isDestroyed()) {
      const share = project === null ? null : shareOf(project);
      shown.setProgressBar(share ?? -1, { mode: project?.state === 'paused' ? 'paused' : 'normal' });
    }
    keepAwake();
    // Where the system has numbers on icons: docks, and Linux's launchers that know Unity's.
    app.setBadgeCount(waitingAmong(known.values()));
  };
  const changed = ({ id, summary }: TopicMessage<'projects.changed'>) => {
    const before = known.get(id) ?? null;
    if (summary === null) known.delete(id);
    else known.set(id, summary);
    const notice = noticeOf(before, summary);
    if (notice !== null) notify(notice);
    update();
  };
  const silence = bus.listen((topic, message) => {
    if (topic === 'projects.changed') changed(message as TopicMessage<'projects.changed'>);
    if (topic === 'settings.changed') keepAwake();
  });
  void dispatcher.dispatch('projects.list', {}, caller).then((reply) => {
    if (!reply.ok || ended) return;
    const { projects } = reply.value as { readonly projects: readonly ProjectSummary[] };
    for (const project of projects) if (!known.has(project.id)) known.set(project.id, project);
    update();
  });
  return () => {
    ended = true;
    silence();
    known.clear();
    keepAwake();
  };
}
