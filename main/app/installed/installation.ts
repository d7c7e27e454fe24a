/**
 * Whether the installed app is what was packaged. The list of its files, with their hashes, is part of the archive
 * (`files.json`, scripts/package/integrity.mjs); of the runtime, which has a list of its own beside it, the archive has that
 * list's hash. All are read at the first start, and what an update changed after it; otherwise size and time must be those that
 * were found then. It finds damage and what was changed by others than the app's own installer; whoever can rewrite the whole
 * app could rewrite this check as well.
 */
import { hashFile } from '../../installation/download.mjs';
import { createHash, webcrypto } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readStored, writeStored } from '../../services/files/stored.js';

const filesSchema = z.record(z.string(), z.object({ size: z.number(), sha256: z.string() }));
type Files = z.infer<typeof filesSchema>;
/** A runtime by its version and the hash of its list. */
const runtimeSchema = z.object({ version: z.string(), sha256: z.string() });
const listSchema = z.object({
  version: z.string(),
  files: filesSchema,
  runtime: runtimeSchema,
  /** The second one, which people may install (main/services/updates/runtime-file.ts); null where this app knows none. */
  gpu: runtimeSchema.nullable(),
});
export type InstalledFiles = z.infer<typeof listSchema>;

/** What was found when all of a part was read, by the hash of its list: by name size and time. */
const stampSchema = z.record(z.string(), z.record(z.string(), z.string()));

const runtimeFolder = 'resources/runtime';
const listName = 'runtime.json';
const runtimeList = `${runtimeFolder}/${listName}`;

/** @returns null in a checkout, where nothing is packaged */
export function readInstalledFiles(path: string): InstalledFiles | null {
  try {
    return listSchema.parse(JSON.parse(fs.readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

interface CheckOptions {
  /** Where the app is installed: the names of the lists are relative to it. */
  readonly folder: string;
  readonly installed: InstalledFiles;
  /** Where is kept what was found. */
  readonly stampFile: string;
  /** Of the one file that all of it came in, where it did (an AppImage): inside it times say nothing. */
  readonly carrier?: string | undefined;
}

/**
 * Reads what has not been read before or is not as it was then. A runtime that an update of the app left as it was is not read again.
 * @returns the names of files that are missing or were changed
 */
export async function changedFiles(options: CheckOptions): Promise<readonly string[]> {
  const { folder, installed, stampFile, carrier } = options;
  const own = readRuntime(join(folder, runtimeFolder), installed.runtime.sha256);
  if (own === null) return [runtimeList];
  const runtime = Object.fromEntries(Object.entries(own).map(([name, file]) => [`${runtimeFolder}/${name}`, file]));
  const { version, files } = installed;
  const parts = [
    { list: JSON.stringify({ version, files }), files },
    { list: installed.runtime.sha256, files: runtime },
  ];
  const before = readStored(stampFile, stampSchema, {});
  const stamp: z.infer<typeof stampSchema> = {};
  const changed: string[] = [];
  for (const part of parts) {
    const name = hashOf(part.list + (carrier === undefined ? '' : sight(carrier)));
    const seen = (stamp[name] = {});
    changed.push(...(await changedAmong(folder, part.files, before[name] ?? {}, seen)));
  }
  if (changed.length === 0 && JSON.stringify(before) !== JSON.stringify(stamp)) writeStored(stampFile, stamp);
  return changed;
}

const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The second runtime lies where the person may write: it is read once, and looked at again at each start.
 * @param folder where it would be
 * @returns `changed` where it is not the one that this app knows, or damaged: it must not be loaded then
 */
export async function stateOfSecondRuntime(options: {
  readonly folder: string;
  readonly sha256: string | null;
  readonly stampFile: string;
}): Promise<'absent' | 'whole' | 'changed'> {
  const { folder, sha256, stampFile } = options;
  if (!fs.existsSync(folder)) return 'absent';
  const files = sha256 === null ? null : readRuntime(folder, sha256);
  if (sha256 === null || files === null) return 'changed';
  const before = readStored(stampFile, stampSchema, {});
  const seen: Record<string, string> = {};
  const changed = await changedAmong(folder, files, before[sha256] ?? {}, seen);
  if (changed.length > 0) return 'changed';
  if (JSON.stringify(before[sha256]) !== JSON.stringify(seen)) writeStored(stampFile, { [sha256]: seen });
  return 'whole';
}

/** @returns the files of a runtime; null where its list is not the one that the app knows */
function readRuntime(folder: string, sha256: string): Files | null {
  try {
    const bytes = fs.readFileSync(join(folder, listName));
    if (hashOf(bytes) !== sha256) return null;
    return z.object({ files: filesSchema }).parse(JSON.parse(bytes.toString())).files;
  } catch {
    return null;
  }
}

/** @param seen is given what was found of each file that is as it should be */
async function changedAmong(
  folder: string,
  files: Files,
  known: Readonly<Record<string, string>>,
  seen: Record<string, string>,
): Promise<string[]> {
  const changed: string[] = [];
  for (const [name, { size, sha256 }] of Object.entries(files)) {
    const path = join(folder, name);
    const now = sight(path);
    const isSame = now.startsWith(`${String(size)} `) && (known[name] === now || (await hashFile(path)) === sha256);
    if (isSame) seen[name] = now;
    else changed.push(name);
  }
  return changed;
}

/** Size and time; empty where there is no such file. */
function sight(path: string): string {
  try {
    const { size, mtimeMs, ctimeMs } = fs.statSync(path);
    return `${String(size)} ${String(mtimeMs)} ${String(ctimeMs)}`;
  } catch {
    return '';
  }
}

/**
 * Whether the archive that this program itself is in has the hash that lies beside it. Electron checks it on Windows and macOS.
 * It is read and hashed beside everything else, while Electron itself gets ready.
 * @param archive Electron shows an archive as a folder: it is read with `read`
 */
export async function archiveIsWhole(archive: string, read: (path: string) => Promise<Buffer>): Promise<boolean> {
  try {
    const { asar } = z
      .object({ asar: z.string() })
      .parse(JSON.parse(fs.readFileSync(join(archive, '../integrity.json'), 'utf8')));
    const digest = await webcrypto.subtle.digest('SHA-256', await read(archive));
    return Buffer.from(digest).toString('hex') === asar;
  } catch {
    return false;
  }
}
