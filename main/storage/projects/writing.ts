/**
 * Stores what a user writes with a project's models: `writing/document.json`, `writing/picks.jsonl`, one line a choice, and
 * `writing/choices-NN.json`, what cycle NN learns from, unchanged by later choices.
 */
import * as path from 'node:path';
import { z } from 'zod';
import { documentSchema, pickSchema, type Pick, type WrittenDocument } from '../../../shared/contract/writing.js';
import { tasteFeatures } from '../../../shared/writing-taste.js';
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

const frozenSchema = z.strictObject({
  choices: z.array(
    z.strictObject({
      context: z.string(),
      chosen: z.string(),
      others: z.array(z.string()).min(1),
      /** Decides whether the new version is kept. */
      held_out: z.boolean(),
    }),
  ),
  ignored: z.array(z.enum(tasteFeatures)),
});
export type StoredChoices = z.infer<typeof frozenSchema>;

/** @throws UserError `file_damaged`; null if there are none */
export function readChoices(folder: string, cycle: number): StoredChoices | null {
  const file = projectPaths(folder).choices(cycle);
  const damaged = (cause: unknown) => {
    const message = localized('writing.damaged', { file });
    return new UserError({ code: 'file_damaged', message, hint: localized('writing.move_away') }, { cause });
  };
  return readJson(file, frozenSchema, { damaged });
}

/** @throws UserError `disk_full`, `file_not_writable` */
export const saveChoices = (folder: string, cycle: number, choices: StoredChoices): void =>
  writeJson(projectPaths(folder).choices(cycle), choices);
