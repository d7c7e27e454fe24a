/** Lets a reader go on without the damaged parts of a file, counts them, and refuses the file beyond a share. */
import type { UserError } from '../../../../shared/errors.js';

/** What can be left out. `notices`: lines of a chat that no speaker wrote; `pages` may be left out in part. */
export const omitted = ['records', 'rows', 'chapters', 'pages', 'notices'] as const;
export interface Omitted {
  readonly what: (typeof omitted)[number];
  readonly count: number;
}

/** Of a stream, no more is judged before this many units. */
const JUDGED = 1 << 16;

export class Omissions {
  count = 0;
  private first: UserError | null = null;
  private lost = 0;
  private parts = 0;
  private units = 0;

  /** @param most the largest share, by number and by size, that may be damaged */
  constructor(private readonly most: number) {}

  /** Counts a part, damaged or not. @param units its size */
  add(units: number, fault?: UserError): void {
    this.parts++;
    this.units += units;
    if (fault === undefined) return;
    this.first ??= fault;
    this.count++;
    this.lost += units;
  }

  /** @throws UserError the first fault if too much is damaged */
  check(isLast: boolean): void {
    if (this.first === null || (!isLast && this.units < JUDGED)) return;
    if (Math.max(this.count / this.parts, this.lost / this.units) > this.most) throw this.first;
  }
}
