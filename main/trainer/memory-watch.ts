/**
 * Notices memory that climbs: what a run holds at a checkpoint should not grow from one to the next. Tracing and
 * compiling take memory in the beginning, so the first looks only set the measure. Pure.
 */
import { inWords } from '../storage/disk.js';

/** Looks that set the measure. */
const SETTLING = 5;
/** A run may come to hold so much more than then: half as much again, and no less than this. */
const GROWTH = 1.5;
const LEAST_BYTES = 512 * 1024 * 1024;

export interface MemoryWatch {
  /** Takes the bytes this process holds; gives what a person should know, or null. */
  look(bytes: number): string | null;
}

export function createMemoryWatch(): MemoryWatch {
  let looks = 0;
  let measure = 0;
  return {
    look(bytes) {
      looks += 1;
      if (looks <= SETTLING) {
        measure = Math.max(measure, bytes);
        return null;
      }
      if (bytes < Math.max(measure * GROWTH, measure + LEAST_BYTES)) return null;
      const before = measure;
      // Said again only when it has grown as much once more.
      measure = bytes;
      return `Memory is climbing: the trainer holds ${inWords(bytes)}, ${inWords(before)} before. Stopping and starting the project frees it and loses nothing.`;
    },
  };
}
