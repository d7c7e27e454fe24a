/** Decides which run events deserve a desktop notification. */
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { typedFault } from '../../shared/errors.js';
import { about } from '../../shared/judging.js';
import { appWords } from './language.js';

export interface Notice {
  readonly title: string;
  readonly body: string;
}

const worksIn = (summary: ProjectSummary | null) => summary?.state === 'running' || summary?.state === 'paused';

export function noticeOf(before: ProjectSummary | null, after: ProjectSummary | null): Notice | null {
  if (after === null || !worksIn(before) || after.state === before?.state) return null;
  if (after.fault !== null)
    return { title: appWords().noticeWords.trouble(after.name), body: typedFault(after.fault).message };
  if (after.state === 'finished')
    return { title: appWords().noticeWords.ended(after.name), body: appWords().noticeWords.endedBody };
  if (after.state === 'awaiting_votes' && after.awaits) {
    const votes = about(after.awaits.votes);
    const { waits, waitsBody } = appWords().noticeWords;
    return { title: waits(after.name), body: waitsBody(String(votes), votes === 1) };
  }
  return null;
}

export const waitingAmong = (projects: Iterable<ProjectSummary>): number =>
  [...projects].filter(({ state }) => state === 'awaiting_votes').length;

export function shareOf({ activity }: ProjectSummary): number | null {
  if (activity === null || !(activity.total > 0)) return null;
  return Math.min(1, Math.max(0, activity.done / activity.total));
}
