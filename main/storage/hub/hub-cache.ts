/** Stores hub models in the cache: a folder each with its record, `<name>.part` until every file is verified. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { z } from 'zod';
import { parseHubName, writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { cacheFolder } from '../../installation/locations.mjs';
import { removeFolderAtomic } from '../disk/atomic.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { checkName, isName } from '../disk/names.js';

const fileSchema = z.object({
  name: z.string().refine(isName),
  path: z.string(),
  size: z.int().nonnegative(),
  /** Hexadecimal: SHA-256 of a large file, git's hash of a small one. */
  hash: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sha256'), value: z.string().regex(/^[0-9a-f]{64}$/) }),
    z.object({ kind: z.literal('git'), value: z.string().regex(/^[0-9a-f]{40}$/) }),
  ]),
});
export type HubFile = z.infer<typeof fileSchema>;

const recordSchema = z.object({
  name: z.string(),
  commit: z.string().regex(/^[0-9a-f]{7,64}$/),
  licence: z.string().nullable(),
  gated: z.boolean(),
  architecture: z.string().nullable(),
  files: z.array(fileSchema).min(1).max(1000),
});
export type HubRecord = z.infer<typeof recordSchema>;

export const RECORD = 'hub.json';
export const PART = '.part';

export const hubFolder = (): string => path.join(cacheFolder(), 'models');

/** Parses a hub name; null for an existing path and for anything else. */
export function hubNameOf(given: string): HubName | null {
  const name = parseHubName(given);
  return name !== null && existsSync(given) ? null : name;
}

/** The hub allows no `--` in names, so that no two share a folder. */
export const hubModelFolder = (name: HubName): string =>
  path.join(hubFolder(), writtenHubName(name).replaceAll('/', '--'));

export const hubLock = (name: HubName): string => `${hubModelFolder(name)}.lock`;

export const partFolder = (name: HubName): string => `${hubModelFolder(name)}${PART}`;

export interface HubModel {
  readonly record: HubRecord;
  /** The model to open: its folder, or its GGUF file. */
  readonly path: string;
  readonly files: readonly string[];
}

/** Finds a complete model in the cache, or null. */
export function hubModelAt(name: HubName): HubModel | null {
  const folder = hubModelFolder(name);
  const record = recordIn(folder, name);
  if (record === null) return null;
  const files = record.files.map((file) => path.join(folder, file.name));
  if (record.files.some(({ size }, i) => sizeOf(files[i] ?? '') !== size)) return null;
  return { record, path: name.file === null ? folder : (files[0] ?? folder), files };
}

/** Finds an unfinished model and how many bytes of it have arrived, or null. */
export function partOf(name: HubName): { readonly record: HubRecord; readonly here: number } | null {
  const folder = partFolder(name);
  const record = recordIn(folder, name);
  return record && { record, here: record.files.reduce((sum, file) => sum + arrived(folder, file), 0) };
}

/** Returns the bytes of a file that have arrived, finished or not. */
export const arrived = (folder: string, { name, size }: HubFile): number =>
  Math.min(size, Math.max(sizeOf(path.join(folder, name)) ?? 0, sizeOf(path.join(folder, `${name}${PART}`)) ?? 0));

/** @throws UserError `bad_input` for a file name that could leave the folder; `disk_full`, `file_not_writable` */
export function writeRecord(folder: string, record: HubRecord): void {
  record.files.forEach((file) => checkName(file.name));
  writeJson(path.join(folder, RECORD), record);
}

export function hubModels(): readonly HubName[] {
  const names = new Map<string, HubName>();
  for (const entry of foldersIn(hubFolder())) {
    const folder = path.join(hubFolder(), entry);
    const name = parseHubName(readJson(path.join(folder, RECORD), recordSchema)?.name ?? '');
    // The record of a folder that a user moved or copied here does not count.
    if (name === null || ![hubModelFolder(name), partFolder(name)].includes(folder)) continue;
    names.set(writtenHubName(name), name);
  }
  return [...names.values()];
}

/** Deletes a model, finished or not; it may be missing. @throws UserError `file_not_writable` */
export function removeHubModel(name: HubName): void {
  removeFolderAtomic(hubModelFolder(name));
  removeFolderAtomic(partFolder(name));
}

function recordIn(folder: string, name: HubName): HubRecord | null {
  const record = readJson(path.join(folder, RECORD), recordSchema);
  return record?.name === writtenHubName(name) ? record : null;
}

/** Returns null for a missing file: one that has its name was verified. */
export const sizeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.size ?? null;

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.map(({ name }) => name).sort();
  } catch {
    return []; // nothing was ever fetched
  }
}
