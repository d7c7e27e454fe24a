/** A checkpoint in a folder: written in one step, and read only when every byte is what the manifest says. */
import * as path from 'node:path';
import { decodeCheckpoint } from '../../formats/checkpoint.js';
import type { Checkpoint } from '../../engine/types.js';
import { fileSource, openFile, type OpenFile } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { verifyFolder } from '../disk/manifest.js';

/** @throws UserError `file_damaged` saying which file, `file_not_found`, `file_not_readable`, `checkpoint` */
export function readCheckpointFolder(folder: string, ops: FileOperations = nodeFileOperations): Checkpoint {
  const names = verifyFolder(folder, ops);
  const opened: OpenFile[] = [];
  try {
    return decodeCheckpoint((name) => {
      if (!names.includes(name)) return null;
      const file = openFile(path.join(folder, name), ops);
      opened.push(file);
      return file;
    });
  } finally {
    opened.forEach((file) => file.close());
  }
}

/**
 * The same for a folder that stays as it is, as a finished model's does.
 * @param onDemandFrom weights of so many bytes are not held in memory: their numbers are read each time that they are asked for
 */
export function openCheckpointFolder(folder: string, onDemandFrom: number, ops = nodeFileOperations): Checkpoint {
  const names = verifyFolder(folder, ops);
  return decodeCheckpoint(
    (name) => (names.includes(name) ? fileSource(path.join(folder, name), ops) : null),
    onDemandFrom,
  );
}
