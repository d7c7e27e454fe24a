/** Stores what a user writes with a project's models: `writing/document.json`, and `writing/picks.jsonl`, one line a choice. */
import * as path from 'node:path';
import { z } from 'zod';
import { documentSchema, pickSchema, type Pick, type WrittenDocument } from '../../../shared/contract/writing.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { nodeFileOperations } from '../disk/file-operations.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { openJsonLines, readJsonLines } from '../disk/json-lines.js';
import { projectPaths } from './project-paths.js';

const documentFile = (folder: string) => path.join(projectPaths(folder).writing, 'document.json');
const picksFile = (folder: string) => path.join(projectPaths(folder).writing, 'picks.jsonl');

/** A choice as it is stored; `at` is an ISO time. */
const storedPick = pickSchema.extend({ at: z.string() });
export type StoredPick = z.infer<typeof storedPick>;
const rowSchema = z.union([storedPick, z.strictObject({ undo: z.string(), at: z.string() })]);

/** Reads the document; an empty one if there is none yet. @throws UserError `file_damaged` rather than lose a damaged one */
export function readDocument(folder: string, ops = nodeFileOperations): WrittenDocument {
  const file = documentFile(folder);
  const damaged = (cause: unknown) =>
    new UserError(
      { code: 'file_damaged', message: localized('writing.damaged', { file }), hint: localized('writing.move_away') },
      { cause },
    );
  return readJson(file, documentSchema, { damaged, ops }) ?? { text: '', keeps_picks: true, ignored: [] };
}

/** Replaces the document in one step. @throws UserError `disk_full`, `file_not_writable` */
export function saveDocument(folder: string, document: WrittenDocument, ops = nodeFileOperations): void {
  writeJson(documentFile(folder), { ...document }, ops);
}

/** Reads the choices that were not undone, in order; each counts once. @throws UserError `file_damaged` */
export function readPicks(folder: string, ops = nodeFileOperations): readonly StoredPick[] {
  const picks = new Map<string, StoredPick>();
  for (const row of readJsonLines(picksFile(folder), (value) => rowSchema.parse(value), ops)) {
    if ('undo' in row) picks.delete(row.undo);
    else picks.set(row.id, row);
  }
  return [...picks.values()];
}

/** Appends a choice or the undoing of one; it is on the disk when this returns. @throws UserError `disk_full`, `file_not_writable` */
export function addPick(
  folder: string,
  row: (Pick | { readonly undo: string }) & { readonly at: string },
  ops = nodeFileOperations,
): void {
  const log = openJsonLines(picksFile(folder), ops);
  try {
    log.append(row);
    log.sync();
  } finally {
    log.close();
  }
}
