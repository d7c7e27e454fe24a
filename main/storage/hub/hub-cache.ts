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
  /** Of large files the SHA-256 of their bytes, of small ones git's name for them, as the hub states it; hexadecimal. */
  hash: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sha256'), value: z.string().regex(/^[0-9a-f]{64}$/) }),
    z.object({ kind: z.literal('git'), value: z.string().regex(/^[0-9a-f]{40}$/) }),
  ]),
});
export type HubFile = z.infer<typeof fileSchema>;

const recordSchema = z.object({
  /** As it is written for `init_from`. */
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

/** Where all of them are. */
export const hubFolder = (): string => path.join(cacheFolder(), 'models');

/** The name of the hub that was given where a path could be; null for a path that exists, and for what cannot be a name. */
export function hubNameOf(given: string): HubName | null {
  const name = parseHubName(given);
  return name !== null && existsSync(given) ? null : name;
}

/** The hub allows no `--` in names, so that no two have one folder. */
export const hubModelFolder = (name: HubName): string =>
  path.join(hubFolder(), writtenHubName(name).replaceAll('/', '--'));

/** Who fetches a model, or deletes it, holds this. */
export const hubLock = (name: HubName): string => `${hubModelFolder(name)}.lock`;

/** Where a model grows. */
export const partFolder = (name: HubName): string => `${hubModelFolder(name)}${PART}`;

export interface HubModel {
  readonly record: HubRecord;
  /** The model, for whatever opens one: its folder, or its GGUF file. */
  readonly path: string;
  readonly files: readonly string[];
}

/** A model that is here, whole; null for none. */
export function hubModelAt(name: HubName): HubModel | null {
  const folder = hubModelFolder(name);
  const record = recordIn(folder, name);
  if (record === null) return null;
  if (record.files.some((file) => sizeOf(path.join(folder, file.name)) !== file.size)) return null;
  const [first] = record.files;
  const isOneFile = name.file !== null && first !== undefined;
  return {
    record,
    path: isOneFile ? path.join(folder, first.name) : folder,
    files: record.files.map((file) => path.join(folder, file.name)),
  };
}

/** What has arrived of a model that is not whole; null for nothing. */
export function partOf(name: HubName): { readonly record: HubRecord; readonly here: number } | null {
  const folder = partFolder(name);
  const record = recordIn(folder, name);
  if (record === null) return null;
  const here = record.files.reduce((sum, file) => sum + arrived(folder, file), 0);
  return { record, here };
}

/** Bytes of a file that are there: whole, or growing. */
export const arrived = (folder: string, { name, size }: HubFile): number =>
  Math.min(size, Math.max(sizeOf(path.join(folder, name)) ?? 0, sizeOf(path.join(folder, `${name}${PART}`)) ?? 0));

/** @throws UserError `bad_input` for a file's name that could reach out of the folder; `disk_full`, `file_not_writable` */
export function writeRecord(folder: string, record: HubRecord): void {
  record.files.forEach((file) => checkName(file.name));
  writeJson(path.join(folder, RECORD), record);
}

export function hubModels(): readonly HubName[] {
  const names = new Map<string, HubName>();
  for (const entry of namesIn(hubFolder())) {
    const folder = path.join(hubFolder(), entry);
    const name = parseHubName(readJson(path.join(folder, RECORD), recordSchema)?.name ?? '');
    // A folder that was moved or copied here by hand is not what its record says.
    if (name === null || ![hubModelFolder(name), partFolder(name)].includes(folder)) continue;
    names.set(writtenHubName(name), name);
  }
  return [...names.values()];
}

/** Deletes what is here of a model. Nothing there is fine. @throws UserError `file_not_writable` */
export function removeHubModel(name: HubName): void {
  removeFolderAtomic(hubModelFolder(name));
  removeFolderAtomic(partFolder(name));
}

function recordIn(folder: string, name: HubName): HubRecord | null {
  const record = readJson(path.join(folder, RECORD), recordSchema);
  return record?.name === writtenHubName(name) ? record : null;
}

/** Null for a file that is not there: one that has its name was verified. */
export const sizeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.size ?? null;

function namesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.map(({ name }) => name).sort();
  } catch {
    return []; // nothing was ever fetched
  }
}
