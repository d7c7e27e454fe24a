/** How much room the next checkpoint of a project may need: what the last ones took, and some to spare. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { projectPaths } from '../storage/project-paths.js';

/** Logs, reports and reward data between two checkpoints. */
const SPARE_BYTES = 32 * 1024 * 1024;

export function checkpointRoom(folder: string) {
  let largest = 0;
  return {
    needed: () => SPARE_BYTES + largest,
    /** A checkpoint of `name` was saved. */
    saved(name: string) {
      largest = Math.max(largest, sizeOf(projectPaths(folder).progress(name)));
    },
  };
}

/** Bytes of all files in a folder and those below it; what goes meanwhile does not count. */
function sizeOf(folder: string): number {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const inner = path.join(folder, entry.name);
      return sum + (entry.isDirectory() ? sizeOf(inner) : fs.statSync(inner).size);
    }, 0);
  } catch {
    return 0;
  }
}
