/** One line of progress: bar, share, rate, time left. Pure text, fitted to the width it is given. */
import type { JobEvent, PhaseName } from '../../shared/events.js';
import { assertNever } from '../../shared/errors.js';
import { compact, duration, grouped } from './words.js';

export type ProgressEvent = Extract<JobEvent, { event: 'progress' }>;

export function phaseTitle(phase: PhaseName): string {
  switch (phase) {
    case 'prepare':
      return 'Preparing text';
    case 'base_training':
      return 'Base training';
    case 'reward_data':
      return 'Reward data';
    case 'reward_model':
      return 'Reward model';
    case 'grpo':
      return 'GRPO';
    case 'evaluation':
      return 'Evaluation';
    default:
      return assertNever(phase);
  }
}

const share = ({ done, total }: ProgressEvent) => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 1);

/** What stands to the right of the bar, most important first. */
function parts(event: ProgressEvent): string[] {
  const { done, total, unit, rate, seconds_left: left, detail } = event;
  return [
    `${String(Math.floor(share(event) * 100)).padStart(3)} %`,
    `${grouped(done)} of ${grouped(total)} ${unit}`,
    ...(left === null || done >= total ? [] : [`${duration(left)} left`]),
    ...(detail === undefined ? [] : [detail]),
    ...(rate === null ? [] : [`${compact(rate)} ${unit}/s`]),
  ];
}

/** For logs: everything, on one plain line. */
export const plainProgress = (event: ProgressEvent): string =>
  `${phaseTitle(event.phase)}: ${parts(event)
    .map((part) => part.trim())
    .join(', ')}`;

/** For a terminal `columns` wide: what does not fit is left out, the bar shrinks last. */
export function progressBar(event: ProgressEvent, columns: number): string {
  const title = phaseTitle(event.phase).padEnd(14);
  const room = Math.max(10, columns - 1);
  const all = parts(event);
  for (let kept = all.length; kept > 0; kept--) {
    const words = all.slice(0, kept).join('  ');
    const width = room - title.length - words.length - 4;
    if (width >= 10 || kept === 1) {
      const bar = Math.max(0, Math.min(30, width));
      const full = Math.round(share(event) * bar);
      return `  ${title}${'━'.repeat(full)}${'╌'.repeat(bar - full)}  ${words}`.slice(0, room);
    }
  }
  return title;
}
