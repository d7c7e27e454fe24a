/** Caches the ids of pieces in a fixed number of slots, in typed arrays: a map of strings took most of the time. */
import type { TokenIds } from '../types.js';

const PLACES = 1 << 16;
/** UTF-16 units, and ids, of the longest piece that is cached. */
const WIDTH = 20;

export class PieceCache {
  private readonly lengths = new Uint8Array(PLACES);
  private readonly units = new Uint16Array(PLACES * WIDTH);
  private readonly counts = new Uint8Array(PLACES);
  private readonly ids = new Uint32Array(PLACES * WIDTH);
  private place = 0;

  /** Writes the ids of piece [start, end) to `out`, which has room for MAX_CACHED. @returns their count; 0 if not cached */
  copy(text: string, start: number, end: number, out: TokenIds, at: number): number {
    const length = end - start;
    if (length > WIDTH) return 0;
    let hash = length;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    this.place = place;
    if (this.lengths[place] !== length) return 0;
    const row = place * WIDTH;
    for (let i = 0; i < length; i++) if (this.units[row + i] !== text.charCodeAt(start + i)) return 0;
    const count = this.counts[place] ?? 0;
    for (let i = 0; i < count; i++) out[at + i] = this.ids[row + i] ?? 0;
    return count;
  }

  /** Stores the ids of the last piece that `copy` did not find. */
  store(text: string, start: number, end: number, ids: TokenIds): void {
    const length = end - start;
    if (length > WIDTH || ids.length > WIDTH) return;
    const { place } = this;
    const row = place * WIDTH;
    this.lengths[place] = length;
    this.counts[place] = ids.length;
    for (let i = 0; i < length; i++) this.units[row + i] = text.charCodeAt(start + i);
    for (let i = 0; i < ids.length; i++) this.ids[row + i] = ids[i] ?? 0;
  }
}

/** The most ids that `copy` writes. */
export const MAX_CACHED = WIDTH;
