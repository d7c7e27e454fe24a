/**
 * The ids of pieces met before: words repeat. One place for each hash, and the last piece that came there stays, so that
 * it never grows. It holds numbers only: making a string of every piece and looking that up took most of the time.
 */
import type { TokenIds } from '../types.js';

const PLACES = 1 << 16;
/** UTF-16 units, and ids, of the longest piece that is kept. */
const WIDTH = 20;

export class PieceCache {
  private readonly lengths = new Uint8Array(PLACES);
  private readonly units = new Uint16Array(PLACES * WIDTH);
  private readonly counts = new Uint8Array(PLACES);
  private readonly ids = new Uint32Array(PLACES * WIDTH);
  private place = 0;

  /**
   * Writes the ids of the piece [start, end) of a text to `out` at `at`, where there must be room for WIDTH of them.
   * @returns how many there are; 0 when the piece is not known
   */
  copy(text: Uint16Array, start: number, end: number, out: TokenIds, at: number): number {
    const length = end - start;
    if (length > WIDTH) return 0;
    let hash = length;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (text[i] ?? 0), 0x01000193);
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    this.place = place;
    if (this.lengths[place] !== length) return 0;
    const row = place * WIDTH;
    for (let i = 0; i < length; i++) if (this.units[row + i] !== text[start + i]) return 0;
    const count = this.counts[place] ?? 0;
    for (let i = 0; i < count; i++) out[at + i] = this.ids[row + i] ?? 0;
    return count;
  }

  /** Keeps the ids of the piece that `copy` has just been asked for in vain. */
  keep(text: Uint16Array, start: number, end: number, ids: TokenIds): void {
    const length = end - start;
    if (length > WIDTH || ids.length > WIDTH) return;
    const { place } = this;
    const row = place * WIDTH;
    this.lengths[place] = length;
    this.counts[place] = ids.length;
    for (let i = 0; i < length; i++) this.units[row + i] = text[start + i] ?? 0;
    for (let i = 0; i < ids.length; i++) this.ids[row + i] = ids[i] ?? 0;
  }
}

/** How many ids `copy` may write. */
export const MAX_KEPT = WIDTH;
