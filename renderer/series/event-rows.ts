/** Turns a project's events into rows to read, latest first, without repetition. Pure. */
import type { LoggedEvent } from '../../shared/contract/projects.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { phases } from '../../shared/phases/index.js';
import { artefactWords, withArtefactWords } from '../format/words.js';
import { t } from '../messages/index.js';

interface EventRow {
  readonly at: string;
  readonly text: string;
  /** The row reports a problem. */
  readonly bad: boolean;
}

/** @param most maximum number of rows, the latest ones */
export function eventRows(events: readonly LoggedEvent[], most: number): readonly EventRow[] {
  /** Phases that have started and not ended: one that starts again was interrupted, and resumes. */
  const started = new Set<string>();
  const rows: EventRow[] = [];
  let closed = false;
  for (const { at, event } of events) {
    const text = wordsOf(event, started);
    if (text === null) continue;
    // Closing the app stops what runs: both are one row.
    if (closed && event.event === 'notice' && event.code === 'stopping') continue;
    closed = event.event === 'notice' && event.code === 'closed';
    const bad = event.event === 'error' || (event.event === 'notice' && event.level === 'warning');
    rows.push({ at, text, bad });
  }
  return rows.slice(-most).reverse();
}

function wordsOf(event: JobEvent, started: Set<string>): string | null {
  switch (event.event) {
    case 'notice':
      return withArtefactWords(t(event.message));
    case 'phase': {
      const { phase, cycle, name, state } = event;
      const place = [phase, cycle, name].join();
      const wasStarted = started.has(place);
      if (state !== 'started') {
        started.delete(place);
        return null;
      }
      started.add(place);
      const doing = t(phases[phase].doing);
      const phaseText = name === undefined ? doing : `${doing}: ${artefactWords(name)}`;
      return wasStarted ? t('project.resumed', { what: phaseText }) : phaseText;
    }
    case 'error':
      return `${t(event.fault.message)} ${t(event.fault.hint)}`;
    default:
      return null;
  }
}
