/** What happened in a project as rows to read, the latest first: in people's words, and nothing said twice. Pure. */
import type { LoggedEvent } from '../../shared/contract/projects.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { phases } from '../../shared/phases/index.js';
import { artefactWords, withArtefactWords } from '../format/artefact-words.js';
import { strings } from '../strings/index.js';
import { t } from '../messages/index.js';
import { windowWords } from '../wizard/window-words.js';

interface EventRow {
  readonly at: string;
  readonly text: string;
  /** Something to look at. */
  readonly bad: boolean;
}

/** @param most the latest so many rows */
export function eventRows(events: readonly LoggedEvent[], most: number): readonly EventRow[] {
  /** Phases that have begun and not ended: one that begins again was interrupted, and is resumed. */
  const begun = new Set<string>();
  const rows: EventRow[] = [];
  let closed = false;
  for (const { at, event } of events) {
    const text = wordsOf(event, begun);
    if (text === null) continue;
    // Whoever closes the app stops what runs: that is one thing.
    if (closed && event.event === 'notice' && event.code === 'stopping') continue;
    closed = event.event === 'notice' && event.code === 'closed';
    const bad = event.event === 'error' || (event.event === 'notice' && event.level === 'warning');
    rows.push({ at, text, bad });
  }
  return rows.slice(-most).reverse();
}

function wordsOf(event: JobEvent, begun: Set<string>): string | null {
  switch (event.event) {
    case 'notice':
      return withArtefactWords(windowWords(event.message));
    case 'phase': {
      const { phase, cycle, name, state } = event;
      const place = [phase, cycle, name].join();
      const wasBegun = begun.has(place);
      if (state !== 'started') {
        begun.delete(place);
        return null;
      }
      begun.add(place);
      const doing = strings.declared(phases[phase].doing);
      const said = name === undefined ? doing : `${doing}: ${artefactWords(name)}`;
      return wasBegun ? t('project.resumed', { what: said }) : said;
    }
    case 'error':
      return `${windowWords(event.fault.message)} ${windowWords(event.fault.hint)}`;
    default:
      return null;
  }
}
