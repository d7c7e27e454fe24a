/** Lists what there is to choose from in a structured text: the columns of a table, or the speakers of a chat. */

/** Means the column `text`, else the one with the longest prose, or all speakers. */
export const DEFAULT_TEXT_FIELD = 'text';

export interface Part {
  readonly name: string;
  /** Number of its values, of which `sample` is one. */
  readonly count: number;
  readonly sample: string;
}

/** @property chosen names of what is read; none for all speakers */
export interface Choice {
  readonly kind: 'column' | 'speaker';
  readonly chosen: readonly string[];
  readonly parts: readonly Part[];
}

export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_PARTS = 200;
const SAMPLE_UNITS = 160;
const PROSE_UNITS = 2000;
/** Letters of a value, on average, below which a column is no prose. */
const LEAST_LETTERS = 8;

/** Counts values by name, and finds the longest prose among them. */
export class Parts {
  private readonly parts = new Map<string, { name: string; count: number; sample: string; letters: number }>();

  add(name: string, value: string): void {
    const part = this.parts.get(name) ?? { name, count: 0, sample: '', letters: 0 };
    if (part.count === 0 && this.parts.size >= MAX_PARTS) return;
    this.parts.set(name, part);
    part.count++;
    part.letters += lettersOf(value.slice(0, PROSE_UNITS));
    if (part.sample === '') part.sample = value.trim().replace(/\s+/g, ' ').slice(0, SAMPLE_UNITS);
  }

  list(): Part[] {
    return [...this.parts.values()].map(({ name, count, sample }) => ({ name, count, sample }));
  }

  longestProse(rows: number): string | null {
    const [longest] = [...this.parts.values()].sort((one, other) => other.letters - one.letters);
    return longest === undefined || longest.letters < LEAST_LETTERS * rows ? null : longest.name;
  }
}

/** A name, an address or an id is one word, and no prose. */
const lettersOf = (value: string): number =>
  /^[\x21-\x7e]*$/.test(value.trim()) ? 0 : (value.match(/\p{L}/gu)?.length ?? 0);
