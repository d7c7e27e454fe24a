/**
 * Whether there is a newer version, and fetching it. Both happen when the person asks for it, and never otherwise; where no server
 * was configured when the app was packaged there is nothing to ask.
 */
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { WrongHash, download } from '../../installation/download.mjs';
import { get, refusal, bodyOf } from '../../installation/http-get.mjs';
import { fileError } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import { fetchBlocks } from './blocks.js';
import {
  compareVersions,
  manifestName,
  readManifest,
  signatureName,
  type PackageKind,
  type UpdateFile,
} from './manifest.js';

const MAX_LIST = 4 << 20;
const STALL_SECONDS = 60;

const sourceSchema = z.strictObject({ address: z.url(), key: z.string() });
/** The folder that the list and its files lie in, and the makers' public key (PEM). */
export type UpdateSource = z.infer<typeof sourceSchema>;

/** @returns null where none was configured */
export function readUpdateSource(file: string): UpdateSource | null {
  try {
    return sourceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

interface Installed {
  readonly version: string;
  /** The version of its runtime. */
  readonly runtime: string;
  readonly kind: PackageKind;
}

export interface Update {
  readonly version: string;
  /** What of it this app needs: a runtime that it has already is not among them. */
  readonly files: readonly UpdateFile[];
}

/**
 * @returns null where this is the newest
 * @throws UserError `file_damaged` for a list that its makers did not sign, `unsupported` for an older version or none for this
 *   kind of package, `network`
 */
export async function findUpdate(source: UpdateSource, installed: Installed): Promise<Update | null> {
  const [bytes, signature] = await Promise.all(
    [manifestName, signatureName].map((name) => fetchSmall(addressOf(source, name))),
  );
  const { version, runtime, files } = readManifest(bytes ?? Buffer.alloc(0), String(signature), source.key);
  const order = compareVersions(version, installed.version);
  if (order === 0) return null;
  if (order < 0) {
    throw new UserError({
      code: 'unsupported',
      message: `The server offers version ${version}, which is older than this one (${installed.version}).`,
      hint: 'It is not taken: an older version may have faults that were mended since.',
    });
  }
  const needed = files.filter(
    ({ kind, part }) => kind === installed.kind && (part !== 'runtime' || runtime !== installed.runtime),
  );
  if (!needed.some(({ part }) => part !== 'runtime')) {
    throw new UserError({
      code: 'unsupported',
      message: `Version ${version} is there, but not as ${installed.kind}.`,
      hint: 'Take it from where you have this one.',
    });
  }
  return { version, files: needed };
}

interface FetchOptions {
  readonly source: UpdateSource;
  readonly update: Update;
  /** Where its files go, under their names. */
  readonly folder: string;
  /** A file of an older version: what the new one has in common with it is not fetched. */
  readonly older?: string | undefined;
  readonly progress: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What has arrived is kept where it stops, and goes on there; a file has its name once its hash is the signed one.
 * @returns the files' paths
 * @throws UserError `file_damaged`, `network`, `disk_full`, `file_not_writable`
 */
export async function fetchUpdate(options: FetchOptions): Promise<string[]> {
  const { source, update, folder, older, progress, signal } = options;
  const total = update.files.reduce((sum, { size }) => sum + size, 0);
  const paths: string[] = [];
  let before = 0;
  for (const file of update.files) {
    const target = path.join(folder, file.name);
    const url = addressOf(source, file.name);
    const tell = (done: number): void => progress(before + done, total);
    try {
      if (older !== undefined && file.blocks !== undefined)
        await fetchBlocks({ url, target, file, blocks: file.blocks, older, progress: tell, signal });
      else {
        const report = { say: () => undefined, progress: (_label: string, done: number) => tell(done) };
        const { sha256, size, name: label } = file;
        await download({ url: url.href, target, sha256, size, label, report, signal });
      }
    } catch (error) {
      throw updateError(error, folder, url);
    }
    before += file.size;
    paths.push(target);
  }
  return paths;
}

/** The list's folder, whether its address ends with a slash or not. */
const addressOf = ({ address }: UpdateSource, name: string): URL =>
  new URL(encodeURIComponent(name), address.replace(/\/*$/, '/'));

async function fetchSmall(url: URL): Promise<Buffer> {
  try {
    const response = await get(url, { stallSeconds: STALL_SECONDS });
    if (response.statusCode !== 200) throw refusal(response);
    return await bodyOf(response, MAX_LIST);
  } catch (error) {
    throw updateError(error, url.href, url);
  }
}

function updateError(error: unknown, where: string, url: URL): unknown {
  if (error instanceof UserError || (error instanceof Error && error.name === 'AbortError')) return error;
  if (error instanceof WrongHash) {
    return new UserError({
      code: 'file_damaged',
      message: `What arrived is not what was signed: ${error.message}.`,
      hint: 'It was deleted, and nothing was installed. Try again later.',
    });
  }
  const code = systemCode(error);
  if (code !== null && !/^(E(CONN|HOST|NET|PIPE|AI|TIMEDOUT|ADDR)|ENOTFOUND)/.test(code))
    return fileError(error, where, 'write');
  return new UserError(
    {
      code: 'network',
      message: `The server of new versions (${url.host}) could not answer: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Try again later. What has arrived is kept.',
    },
    { cause: error },
  );
}
