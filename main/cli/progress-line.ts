/** One line of progress: bar, share, rate, time left. Text fitted to the width it is given. */
import type { TypedEvent } from './typed-event.js';
import { count } from '../../shared/messages/message.js';
import { t } from './language.js';
import { phases, type PhaseName } from '../../shared/phases/index.js';
import { compact, duration } from './words.js';

export type ProgressEvent = Extract<TypedEvent, { event: 'progress' }>;

export const phaseTitle = (phase: PhaseName): string => t(phases[phase].label);

const share = ({ done, total }: ProgressEvent) => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 1);

/** What stands to the right of the bar, most important first. */
function parts(event: ProgressEvent): string[] {
  const { done, total, unit, rate, seconds_left: left, project_seconds_left: wholeLeft = null, detail } = event;
  return [
    `${String(Math.floor(share(event) * 100)).padStart(3)}%`,
    t('terminal.done_of_total', { done: count(done), total: count(total), unit: t(`terminal.${unit}`) }),
    ...(left === null || done >= total ? [] : [t('terminal.left', { time: duration(left) })]),
    ...(detail === undefined ? [] : [detail]),
    ...(wholeLeft === null || wholeLeft <= (left ?? 0)
      ? []
      : [t('terminal.project_left', { time: duration(wholeLeft) })]),
    ...(rate === null ? [] : [`${compact(rate)} ${t(`terminal.${unit}`)}/s`]),
  ];
}

/** For logs: everything, on one plain line. */
export const plainProgress = (event: ProgressEvent): string =>
  `${phaseTitle(event.phase)}: ${parts(event)
    .map((part) => part.trim())
    .join(', ')}`;

const BAR = 24;

/** For a terminal `columns` wide: what does not fit is left out, last things first; the bar is of one length. */
export function progressBar(event: ProgressEvent, columns: number): string {
  const title = `  ${phaseTitle(event.phase).padEnd(14)} `;
  const room = Math.max(10, columns - 1);
  const bar = Math.max(0, Math.min(BAR, room - title.length - 7));
  const full = Math.round(share(event) * bar);
  let line = `${title}${'━'.repeat(full)}${'╌'.repeat(bar - full)}`;
  for (const part of parts(event)) {
    if (line.length + 2 + part.length > room) break;
    line += `  ${part}`;
  }
  return line.slice(0, room);
}
