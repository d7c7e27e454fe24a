/**
 * Whether the installed app is what was packaged. The list of its files, with their hashes, is part of the archive
 * (`files.json`, scripts/package/integrity.mjs). All are read at the first start and after an update; otherwise size and time
 * must be those that were found then. It finds damage and what was changed by others than the app's own installer; whoever can
 * rewrite the whole app could rewrite this check as well.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readStored, writeStored } from '../services/files/stored.js';

const listSchema = z.object({
  version: z.string(),
  files: z.record(z.string(), z.object({ size: z.number(), sha256: z.string() })),
});
export type InstalledFiles = z.infer<typeof listSchema>;

/** What was found when all was read: of which list, and by name size and time. */
const stampSchema = z.object({ list: z.string(), seen: z.record(z.string(), z.string()) }).nullable();

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
  /** Where the app is installed: the names of the list are relative to it. */
  readonly folder: string;
  readonly installed: InstalledFiles;
  /** Where is kept what was found. */
  readonly stampFile: string;
  /** Of the one file that all of it came in, where it did (an AppImage): inside it times say nothing. */
  readonly carrier?: string | undefined;
}

/**
 * Reads what has not been read before or is not as it was then.
 * @returns the names of files that are missing or were changed
 */
export async function changedFiles({
  folder,
  installed,
  stampFile,
  carrier,
}: CheckOptions): Promise<readonly string[]> {
  const list = createHash('sha256')
    .update(JSON.stringify(installed))
    .update(carrier === undefined ? '' : sight(carrier))
    .digest('hex');
  const before = readStored(stampFile, stampSchema, null);
  const known = before?.list === list ? before.seen : {};
  const seen: Record<string, string> = {};
  const changed: string[] = [];
  for (const [name, { size, sha256 }] of Object.entries(installed.files)) {
    const path = join(folder, name);
    const now = sight(path);
    const isSame = now.startsWith(`${String(size)} `) && (known[name] === now || (await hashOf(path)) === sha256);
    if (isSame) seen[name] = now;
    else changed.push(name);
  }
  if (changed.length === 0 && JSON.stringify(known) !== JSON.stringify(seen)) writeStored(stampFile, { list, seen });
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

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of fs.createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
  return hash.digest('hex');
}

/**
 * Whether the archive that this program itself is in has the hash that lies beside it. Electron checks it on Windows and macOS.
 * @param archive Electron shows an archive as a folder: it is read with `read`
 */
export function archiveIsWhole(archive: string, read: typeof fs.readFileSync): boolean {
  try {
    const { asar } = z
      .object({ asar: z.string() })
      .parse(JSON.parse(fs.readFileSync(join(archive, '../integrity.json'), 'utf8')));
    return createHash('sha256').update(read(archive)).digest('hex') === asar;
  } catch {
    return false;
  }
}
