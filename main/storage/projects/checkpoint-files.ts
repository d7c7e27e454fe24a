/** A checkpoint in a folder: written in one step, and read only when every byte is what the manifest says. */
import * as path from 'node:path';
import { decodeCheckpoint } from '../../formats/checkpoint.js';
import type { Checkpoint } from '../../engine/types.js';
import { fileSource, openFile, type OpenFile } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { verifyFolder } from '../disk/manifest.js';

/** @param onDemandFrom larger weights are read at each use. @throws UserError `file_damaged`, `file_not_found`, `file_not_readable`, `checkpoint` */
export function readCheckpointFolder(
  folder: string,
  ops: FileOperations = nodeFileOperations,
  onDemandFrom = Infinity,
): Checkpoint {
  const names = verifyFolder(folder, ops);
  const opened: OpenFile[] = [];
  try {
    return decodeCheckpoint((name) => {
      if (!names.includes(name)) return null;
      const place = path.join(folder, name);
      const file = openFile(place, ops);
      opened.push(file);
      // What is read later cannot be held open until then.
      return file.byteLength < onDemandFrom ? file : fileSource(place, ops);
    }, onDemandFrom);
  } finally {
    opened.forEach((file) => file.close());
  }
}
