/** What cleaning found in texts: how often, and the first places, for a user who decides whether it goes. */
import type { Cleaning } from '../../../../shared/config/data.js';

export interface Place {
  readonly before: string;
  readonly after: string;
}
export interface Found {
  readonly count: number;
  /** Characters that went, blanks aside. */
  readonly removed: number;
  readonly places: readonly Place[];
}
export type Notes = Readonly<Partial<Record<Cleaning, Found>>>;

const SHOWN_PLACES = 3;
const SHOWN_UNITS = 240;

const shortened = (text: string): string =>
  text.length <= SHOWN_UNITS ? text : `${text.slice(0, SHOWN_UNITS).replace(/[\ud800-\udbff]$/, '')}…`;
export const visible = (text: string): number => text.replace(/\s+/g, '').length;

interface Counted {
  count: number;
  removed: number;
  readonly places: Place[];
}

export class Findings {
  private readonly found = new Map<Cleaning, Counted>();

  get notes(): Notes {
    return Object.fromEntries([...this.found].map(([cleaning, { ...found }]) => [cleaning, found]));
  }

  /** @param place is called for the first places only; null for one that shows nothing */
  add(cleaning: Cleaning, removed: number, place: () => Place | null, times = 1): void {
    let found = this.found.get(cleaning);
    if (!found) this.found.set(cleaning, (found = { count: 0, removed: 0, places: [] }));
    found.count += times;
    found.removed += removed;
    const shown = found.places.length < SHOWN_PLACES ? place() : null;
    if (shown) found.places.push({ before: shortened(shown.before), after: shortened(shown.after) });
  }
}

/** Adds up what was found in several files. */
export function sumNotes(all: readonly Notes[]): Notes {
  const sum: Partial<Record<Cleaning, Found>> = {};
  for (const notes of all) {
    for (const [cleaning, { count, removed, places }] of Object.entries(notes) as [Cleaning, Found][]) {
      const before = sum[cleaning] ?? { count: 0, removed: 0, places: [] };
      sum[cleaning] = {
        count: before.count + count,
        removed: before.removed + removed,
        places: [...before.places, ...places].slice(0, SHOWN_PLACES),
      };
    }
  }
  return sum;
}
