/** Shows training on the desktop: progress on the icon, notifications; keeps the computer awake while it trains. */
import { Notification, app, powerSaveBlocker, type BrowserWindow } from 'electron';
import { labelIn, placesOf } from '../../shared/base/labels.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { TopicMessage } from '../../shared/contract/topics.js';
import type { Caller } from '../ipc/caller.js';
import type { Dispatcher } from '../ipc/dispatcher.js';
import type { EventBus } from '../services/event-bus.js';
import type { CycleReport } from '../../shared/reports/report.js';
import { about } from '../../shared/judging.js';
import { t } from './language.js';

interface AttentionOptions {
  readonly bus: EventBus;
  readonly dispatcher: Dispatcher;
  readonly keepsAwake: () => boolean;
  readonly window: () => BrowserWindow | null;
  readonly icon: string;
}

type Sample = CycleReport['samples'][number];

interface Notice {
  readonly title: string;
  readonly body: string;
}

const isActive = (summary: ProjectSummary | null) => summary?.state === 'running' || summary?.state === 'paused';

/**
 * Decides which changes of a project deserve a notification: those after which it no longer runs and needs the user.
 * @param all the projects there are, of which several may have its name
 */
export function noticeOf(
  before: ProjectSummary | null,
  after: ProjectSummary | null,
  all: Iterable<ProjectSummary> = [],
): Notice | null {
  if (after === null || !isActive(before) || after.state === before?.state) return null;
  const { state, fault, awaits } = after;
  const name = labelIn(placesOf([...all]), after.id, after.name);
  if (fault !== null) return { title: t('desktop.notification.failed', { name }), body: t(fault.message) };
  if (state === 'finished')
    return { title: t('desktop.notification.finished', { name }), body: t('desktop.notification.finished_detail') };
  if (state !== 'awaiting_votes' || !awaits) return null;
  const body = t('desktop.notification.waiting_detail', { votes: about(awaits.votes) });
  return { title: t('desktop.notification.waiting', { name }), body };
}

/** The most characters of a sample in a notification. */
const SHOWN = 180;

/** Takes the first sentences of a sample, as many as a notification shows; at least one, cut at a word if need be. */
export function firstSentences({ prompt, completion }: Sample): string {
  const text = `${prompt}${completion}`.replace(/\s+/g, ' ').trim();
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)];
  const end = sentences.map(({ index, segment }) => index + segment.trimEnd().length).findLast((at) => at <= SHOWN);
  return end === undefined ? `${text.slice(0, SHOWN).replace(/\s\S*$/u, '')}…` : text.slice(0, end);
}

export const waitingAmong = (projects: Iterable<ProjectSummary>): number =>
  [...projects].filter(({ state }) => state === 'awaiting_votes').length;

export const shareOf = ({ activity }: ProjectSummary): number | null =>
  activity === null || !(activity.total > 0) ? null : Math.min(1, Math.max(0, activity.done / activity.total));

/** @returns ends it */
export function watchRuns({ bus, dispatcher, keepsAwake, window, icon }: AttentionOptions): () => void {
  const known = new Map<string, ProjectSummary>();
  let awake: number | null = null;
  let ended = false;

  const running = () => [...known.values()].find(isActive) ?? null;
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
    // Docks, and Linux's launchers that support Unity's protocol.
    app.setBadgeCount(waitingAmong(known.values()));
  };
  /** Lets the notice of a finished project quote its newest model. */
  const withWriting = async (notice: Notice, { id, state }: ProjectSummary): Promise<Notice> => {
    if (state !== 'finished') return notice;
    const reply = await dispatcher.dispatch('projects.reports', { id }, caller);
    const { reports } = (reply.ok ? reply.value : { reports: [] }) as { readonly reports: readonly CycleReport[] };
    const sample = reports.at(-1)?.samples[0];
    return sample ? { ...notice, body: t('text.quote', { text: firstSentences(sample) }) } : notice;
  };
  const changed = ({ id, summary }: TopicMessage<'projects.changed'>) => {
    const before = known.get(id) ?? null;
    if (summary === null) known.delete(id);
    else known.set(id, summary);
    const notice = noticeOf(before, summary, known.values());
    if (notice !== null && summary !== null) void withWriting(notice, summary).then(notify);
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
