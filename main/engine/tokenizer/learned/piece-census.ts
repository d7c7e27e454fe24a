/** Counts the pieces of a text of any size, cut as GPT-2 cuts, for learn-merges.ts; of too many pieces the rarest are dropped. */
import { lastSafeCut, pieceEnd } from '../pretokenize.js';

/** Some 60 MB; a million letters of a book have 25,000 pieces. */
const MAX_PIECES = 1 << 19;
/** Longer pieces are cut, in UTF-16 units; a sentence of Chinese is shorter. */
const LONGEST = 256;

export class PieceCensus {
  private counts = new Map<string, number>();
  private held = '';

  constructor(private readonly maxPieces = MAX_PIECES) {}

  add(text: string): void {
    const all = this.held + text;
    let cut = lastSafeCut(all, this.held.length - 3);
    // A text without any break is cut anyway.
    if (cut === 0 && all.length > 1 << 16) cut = all.length - 1;
    this.held = all.slice(cut);
    this.count(all.slice(0, cut));
  }

  /** Ends the text. @returns counts of pieces, in order of first occurrence */
  finish(): ReadonlyMap<string, number> {
    this.count(this.held);
    this.held = '';
    return this.counts;
  }

  private count(text: string): void {
    for (let start = 0; start < text.length;) {
      const end = Math.min(pieceEnd(text, start), start + LONGEST);
      const piece = text.slice(start, end);
      const count = this.counts.get(piece) ?? 0;
      if (count === 0 && this.counts.size >= this.maxPieces) this.forget();
      // Copied, since a slice would keep the whole text in memory.
      this.counts.set(count === 0 ? piece.split('').join('') : piece, count + 1);
      start = end;
    }
  }

  /** Drops the rarest until half of the room is free. */
  private forget(): void {
    for (let rare = 1; this.counts.size > this.maxPieces / 2; rare *= 2) {
      for (const [piece, count] of this.counts) if (count <= rare) this.counts.delete(piece);
    }
  }
}
