/**
 * What the other ranks need of rank 0's project before anything is computed: its settings, its prepared text and what was
 * changed while it ran, as the same files in a folder of their own.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Team } from '../../engine/team.js';
import { ensureFolder } from '../../storage/disk/atomic.js';
import { fileSize, withFileAsync, writeAll, type OpenFile } from '../../storage/disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { nodeFileOperations as ops } from '../../storage/disk/file-operations.js';
import type { ProjectPaths } from '../../storage/projects/project-paths.js';

interface SentFile {
  /** In the project's folder, parts by '/'. */
  readonly path: readonly string[];
  readonly bytes: number;
}

/** Of a file at a time. */
const PIECE = 2 ** 26;

/** Rank 0: gives them. */
export async function giveProject(team: Team, { folder, config, changes, data }: ProjectPaths): Promise<void> {
  const texts = readdirSync(data, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(data, entry.name)] : [],
  );
  const files = [config, ...(existsSync(changes) ? [changes] : []), ...texts].map((file): SentFile => ({
    path: relative(folder, file).split(/[\\/]/),
    bytes: fileSize(file),
  }));
  await team.share(new TextEncoder().encode(JSON.stringify(files)));
  for (const { path, bytes } of files) {
    const give = async (file: OpenFile) => {
      for (let at = 0; at < bytes; at += PIECE) {
        const piece = new Uint8Array(Math.min(PIECE, bytes - at));
        file.read(at, piece);
        await team.share(piece);
      }
    };
    await withFileAsync(join(folder, ...path), give, ops);
  }
}

/** The others: take them. @param folder this rank's own */
export async function takeProject(team: Team, folder: string): Promise<void> {
  const files = JSON.parse(new TextDecoder().decode(await team.share(null))) as readonly SentFile[];
  for (const { path, bytes } of files) {
    const to = join(folder, ...path);
    ensureFolder(dirname(to));
    const file = onFile(to, 'write', () => ops.open(to, 'wx'));
    try {
      for (let at = 0; at < bytes; at += PIECE) {
        const piece = await team.share(null);
        onFile(to, 'write', () => writeAll(file, piece, ops));
      }
    } finally {
      ops.close(file);
    }
  }
}
