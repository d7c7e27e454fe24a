/**
 * The second runtime, TensorFlow's build for NVIDIA GPUs, installed out of one file: a tar archive whose first member is the list
 * of what follows, each file of it compressed by itself (scripts/package/gpu-runtime.mjs makes it). The app knows the hash of that
 * list, so that nothing else is ever unpacked; what an interrupted installation has unpacked is not unpacked again.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { hashFile } from '../../installation/download.mjs';
import { withLock } from '../../installation/lock.mjs';
import { requireSpace } from '../../storage/disk/disk.js';
import { withFile } from '../../storage/disk/file-bytes.js';
import { fileError } from '../../../shared/file-errors.js';
import { tarMembers, type TarMember } from '../../storage/projects/tar.js';

const fileSchema = z.object({ size: z.int().min(0), sha256: z.string() });
const listSchema = z.object({ version: z.string(), files: z.record(z.string(), fileSchema) });
type RuntimeList = z.infer<typeof listSchema>;

const listName = 'runtime.json';
const MAX_LIST = 1 << 22;

interface RuntimeInstallation {
  /** The runtime as one file. */
  readonly file: string;
  /** SHA-256 of its list, as the app knows it. */
  readonly sha256: string;
  /** What it becomes. One that is there is replaced, once the new one is whole. */
  readonly folder: string;
  /** Told now and then: bytes done, and in all. */
  readonly progress: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @returns its version
 * @throws UserError `file_damaged` where it is not the runtime of this app, or damaged; `disk_full`, `file_not_found`,
 *   `file_not_writable`; the signal's reason. What was unpacked whole is kept for the next time
 */
export async function installRuntime(options: RuntimeInstallation): Promise<string> {
  const { file, sha256, folder, progress, signal } = options;
  const { list, text, members } = readArchive(file, sha256);
  const total = Object.values(list.files).reduce((sum, { size }) => sum + size, 0);
  const fresh = `${folder}.installing`;
  try {
    await withLock(`${folder}.lock`, () => undefined, install, { what: 'installation', signal });
  } catch (error) {
    throw fileError(error, folder, 'write');
  }
  return list.version;

  async function install(): Promise<void> {
    const kept = await keptFrom(fresh, list);
    const sizeOf = (name: string): number => list.files[name]?.size ?? 0;
    let done = [...kept].reduce((sum, name) => sum + sizeOf(name), 0);
    requireSpace(fresh, total - done, 'the runtime');
    for (const name of Object.keys(list.files)) {
      progress(done, total);
      signal?.throwIfAborted();
      if (!kept.has(name)) await unpack(name);
      done += sizeOf(name);
    }
    fs.writeFileSync(join(fresh, listName), text);
    const old = `${folder}.old`;
    fs.rmSync(old, { recursive: true, force: true });
    if (fs.existsSync(folder)) fs.renameSync(folder, old);
    fs.renameSync(fresh, folder);
    fs.rmSync(old, { recursive: true, force: true });
    progress(total, total);
  }

  async function unpack(name: string): Promise<void> {
    const wanted = list.files[name];
    const member = members.get(`${name}.gz`);
    if (wanted === undefined || member === undefined) throw damaged(file, `${name} is missing`);
    const target = join(fresh, name);
    const part = `${target}.part`;
    fs.mkdirSync(dirname(target), { recursive: true });
    const hash = createHash('sha256');
    let size = 0;
    const look = new Transform({
      transform(bytes: Buffer, _encoding, give) {
        size += bytes.length;
        hash.update(bytes);
        give(size > wanted.size ? damaged(file, `${name} is longer than it says`) : null, bytes);
      },
    });
    try {
      const end = member.position + member.size - 1;
      const packed = fs.createReadStream(file, { start: member.position, end, highWaterMark: 1 << 20 });
      const unpacked = fs.createWriteStream(part, { flush: true });
      await pipeline(packed, createGunzip(), look, unpacked, signal ? { signal } : {});
      if (hash.digest('hex') !== wanted.sha256) throw damaged(file, `${name} is not what it says`);
    } catch (error) {
      fs.rmSync(part, { force: true });
      signal?.throwIfAborted();
      throw /^Z_/.test(String((error as NodeJS.ErrnoException).code)) ? damaged(file, `${name} is damaged`) : error;
    }
    // The CUDA compiler's programs.
    if (name.includes('/bin/')) fs.chmodSync(part, 0o755);
    fs.renameSync(part, target);
  }
}

/** What the archive says of itself, where that is what the app knows. */
function readArchive(file: string, sha256: string) {
  return withFile(file, (source) => {
    const members = new Map<string, TarMember>();
    for (const member of tarMembers(file, source)) members.set(member.path, member);
    const first = members.get(listName);
    if (first === undefined || first.size > MAX_LIST) throw damaged(file, 'it is no runtime');
    const text = Buffer.alloc(first.size);
    source.read(first.position, text);
    if (createHash('sha256').update(text).digest('hex') !== sha256)
      throw damaged(file, 'it is the runtime of another version of Verisim, or was changed');
    const list: RuntimeList = listSchema.parse(JSON.parse(text.toString()));
    return { list, text, members };
  });
}

/** The files that an installation before this one has unpacked, read again: those of another version are removed. */
async function keptFrom(folder: string, list: RuntimeList): Promise<Set<string>> {
  const kept = new Set<string>();
  for (const [name, { size, sha256 }] of Object.entries(list.files)) {
    const path = join(folder, name);
    if (!fs.existsSync(path)) continue;
    if (fs.statSync(path).size === size && (await hashFile(path)) === sha256) kept.add(name);
    else fs.rmSync(path);
  }
  return kept;
}

const damaged = (file: string, what: string): UserError =>
  new UserError({
    code: 'file_damaged',
    message: `${file} cannot be installed: ${what}`,
    hint: 'Take the file that belongs to this version of Verisim, and download it again if it does.',
  });
