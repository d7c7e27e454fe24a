/**
 * How often each piece of a text occurs, cut as GPT-2 cuts: what tokens are learned from (learn-merges.ts). The text comes in
 * parts and may be of any size: pieces that are rare so far are forgotten when there are very many, as a vocabulary of some
 * thousands is made of those that are not.
 */
import { lastSafeCut, pieceEnd } from '../pretokenize.js';
import { writeUnits } from '../utf16.js';

/** Different pieces that are remembered at once: some 60 MB. A million letters of a book have 25,000. */
const MAX_PIECES = 1 << 19;
/** Longer ones are cut, in UTF-16 units: a sentence of Chinese is shorter, and a line without a break teaches nothing. */
const LONGEST = 256;

export class PieceCensus {
  private counts = new Map<string, number>();
  private held = '';

  constructor(private readonly maxPieces = MAX_PIECES) {}

  /** Counts the next part of the text. */
  add(text: string): void {
    const all = this.held + text;
    const units = unitsOf(all);
    let cut = lastSafeCut(units, this.held.length - 3);
    // A text without any break is cut all the same: its pieces are.
    if (cut === 0 && all.length > 1 << 16) cut = all.length - 1;
    this.held = all.slice(cut);
    this.count(units.subarray(0, cut));
  }

  /** Ends the text. @returns each piece and how often it occurs, in the order in which they first occur */
  finish(): ReadonlyMap<string, number> {
    this.count(unitsOf(this.held));
    this.held = '';
    return this.counts;
  }

  private count(units: Uint16Array): void {
    for (let start = 0; start < units.length;) {
      const end = Math.min(pieceEnd(units, start), start + LONGEST);
      // Not a slice of the text, which would keep all of it.
      const piece = String.fromCharCode(...units.subarray(start, end));
      const known = this.counts.get(piece) ?? 0;
      if (known === 0 && this.counts.size >= this.maxPieces) this.forget();
      this.counts.set(piece, known + 1);
      start = end;
    }
  }

  /** Forgets the rarest, until half of the room is free. */
  private forget(): void {
    for (let rare = 1; this.counts.size > this.maxPieces / 2; rare *= 2) {
      for (const [piece, count] of this.counts) if (count <= rare) this.counts.delete(piece);
    }
  }
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  writeUnits(text, units, 0);
  return units;
}
