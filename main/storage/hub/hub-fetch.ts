/** Downloads a hub model file by file, verified by hash and resumed at the byte; other processes wait for it. */
import { readdirSync, renameSync } from 'node:fs';
import * as path from 'node:path';
import { writtenHubName, type HubName } from '../../../shared/config/hub-name.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { download } from '../../installation/download.mjs';
import { Refused } from '../../installation/http-get.mjs';
import { withLock } from '../../installation/lock.mjs';
import { ensureFolder, removeFolderAtomic } from '../disk/atomic.js';
import { requireSpace } from '../disk/disk.js';
import { nodeFileOperations as ops } from '../disk/file-operations.js';
import {
  arrived,
  hubFolder,
  hubLock,
  hubModelAt,
  hubModelFolder,
  PART,
  partFolder,
  partOf,
  RECORD,
  sizeOf,
  writeRecord,
  type HubModel,
  type HubRecord,
} from './hub-cache.js';
import { hubClient, type HubClient, type HubOptions } from './hub-client.js';
import { hubError, stopped } from './hub-faults.js';
import { fileUrl, hubOffer } from './hub-offer.js';

interface FetchOptions extends HubOptions {
  readonly offer?: HubRecord;
  onProgress?(done: number, total: number): void;
}

export const sizeOfModel = ({ files }: HubRecord): number => files.reduce((sum, { size }) => sum + size, 0);

export const missingOf = (name: HubName, { files }: HubRecord): number =>
  files.reduce((sum, file) => sum + file.size - arrived(partFolder(name), file), 0);

/** Returns the model, downloaded if it is not complete here. @throws UserError of `hubOffer`; `disk_full`, `file_not_writable` */
export async function fetchHubModel(name: HubName, options: FetchOptions): Promise<HubModel> {
  const here = hubModelAt(name);
  if (here) return here;
  const client = await hubClient(options);
  const { signal, say = () => undefined } = options;
  const fetch = async () => hubModelAt(name) ?? (await fetchWhole(name, client, options));
  try {
    return await withLock(hubLock(name), (pid) => say(localized('download.waits', { pid })), fetch, signal);
  } catch (error) {
    throw hubError(error, { ...client, name, folder: hubModelFolder(name), signal });
  }
}

async function fetchWhole(name: HubName, client: HubClient, options: FetchOptions): Promise<HubModel> {
  const record = options.offer ?? partOf(name)?.record;
  try {
    await fetchFiles(name, record ?? (await hubOffer(name, options)), client, options);
  } catch (error) {
    // The commit of an earlier attempt may be gone from the hub: then its newest is fetched.
    const isGone = error instanceof Refused && error.status === 404;
    if (!isGone || record === undefined || options.offer !== undefined) throw error;
    await fetchFiles(name, await hubOffer(name, options), client, options);
  }
  const model = hubModelAt(name);
  if (model) return model;
  throw new Error(`${hubModelFolder(name)} is not whole after it was fetched`);
}

async function fetchFiles(name: HubName, record: HubRecord, client: HubClient, options: FetchOptions): Promise<void> {
  const { signal, patience, say = () => undefined, onProgress = () => undefined } = options;
  const folder = partFolder(name);
  ensureFolder(hubFolder());
  removeOthers(name, record);
  requireSpace(folder, missingOf(name, record), writtenHubName(name));
  ensureFolder(folder);
  writeRecord(folder, record);
  const total = sizeOfModel(record);
  let before = 0;
  for (const file of record.files) {
    if (signal?.aborted) throw stopped();
    const target = path.join(folder, file.name);
    if (sizeOf(target) !== file.size) {
      ops.remove(target);
      const report = { say, progress: (_: string, done: number) => onProgress(before + done, total) };
      const { kind, value: sha256 } = file.hash;
      const url = fileUrl(client, name, record.commit, file);
      const what = { url, target, size: file.size, sha256, kind, label: file.name };
      await download({ ...what, report, headers: client.headers, signal, ...patience });
    }
    before += file.size;
    onProgress(before, total);
  }
  ops.syncFolder(folder);
  removeFolderAtomic(hubModelFolder(name)); // an incomplete one
  renameSync(folder, hubModelFolder(name));
  ops.syncFolder(hubFolder());
}

/** Removes all but the files that have not changed in the repository since the last attempt. */
function removeOthers(name: HubName, record: HubRecord): void {
  const folder = partFolder(name);
  if (ops.kind(folder) === 'none') return;
  const hashes = new Map(partOf(name)?.record.files.map((file) => [file.name, file.hash.value]));
  const same = record.files.filter((file) => hashes.get(file.name) === file.hash.value);
  const names = new Set([RECORD, ...same.flatMap((file) => [file.name, `${file.name}${PART}`])]);
  for (const entry of readdirSync(folder)) if (!names.has(entry)) ops.remove(path.join(folder, entry));
}

/** Removes a model. @throws UserError `busy` while it is downloaded */
export async function removeFetched(name: HubName, remove: (name: HubName) => void): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await withLock(
      hubLock(name),
      () => waiting.abort(),
      async () => remove(name),
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError({
      code: 'busy',
      message: localized('hub.being_fetched', { model: writtenHubName(name) }),
      hint: localized('hub.stop_download_first'),
    });
  }
}
