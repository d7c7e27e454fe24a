/**
 * Turns dropped files into handles. In the app the preload script resolves their paths; in a browser they are uploaded
 * to the server, which stores them while needed: a folder with its texts and subfolders, or several texts as one
 * folder.
 */
import { z } from 'zod';
import { isNamedAs } from '../../shared/config/file-kinds.js';
import { replySchema } from '../../shared/contract/channel.js';
import { fileInfo, type FileInfo } from '../../shared/contract/values.js';
import type { Reply } from '../../shared/contract/index.js';
import { localized, verbatim, type Message } from '../../shared/messages/message.js';

const uploaded = replySchema(fileInfo);
const dropReply = replySchema(z.array(fileInfo));

/** A larger drop is no text that a user collected, but a whole disk. */
const MOST_FILES = 10_000;

/** A file of a drop, with its place in it. */
interface Found {
  readonly file: File;
  /** Folders and name, separated by `/`. */
  readonly place: string;
}

interface DroppedFiles {
  readonly files: readonly FileInfo[];
  /** Places of files that are no text by their name and were not sent. */
  readonly left: readonly string[];
}

interface TakeOptions {
  /** Recognizes texts by name: several of them are one text. */
  readonly isText: (name: string) => boolean;
  /** Called after each uploaded file; never in the app. */
  readonly onSent: (sent: number, all: number) => void;
}

/**
 * Handles a drop; call it during the event, as its data is gone afterwards.
 * @returns the fault of the first refused file, or a handle for each
 */
export function takeDrop(event: DragEvent, options: TakeOptions): Promise<Reply<DroppedFiles>> {
  if (window.verisim) return takeInApp(window.verisim);
  const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return sendAll(entries, options);
}

async function takeInApp(bridge: NonNullable<typeof window.verisim>): Promise<Reply<DroppedFiles>> {
  const reply = dropReply.parse(await bridge.takeDropped()) as Reply<readonly FileInfo[]>;
  return reply.ok ? { ok: true, value: { files: reply.value, left: [] } } : reply;
}

async function sendAll(entries: readonly FileSystemEntry[], options: TakeOptions): Promise<Reply<DroppedFiles>> {
  const found: Found[] = [];
  try {
    for (const entry of entries) await collect(entry, '', found);
  } catch {
    return refused(localized('wizard.text.sent.unreadable'));
  }
  if (found.length > MOST_FILES) return refused(localized('wizard.text.sent.tooMany', { most: MOST_FILES }));
  const [only] = entries;
  const isFolder = entries.length === 1 && only?.isDirectory === true;
  const isText = ({ file }: Found) => isFolder || options.isText(file.name);
  const texts = found.filter(isText);
  if (!isFolder && texts.length < 2) return sendApart(found, options);
  const others = found.filter((one) => !isText(one));
  return sendTogether(texts, others, isFolder, options);
}

async function sendApart(found: readonly Found[], { onSent }: TakeOptions): Promise<Reply<DroppedFiles>> {
  const files: FileInfo[] = [];
  for (const { file } of found) {
    const reply = await upload(file, file.name, null);
    if (!reply.ok) return reply;
    onSent(files.push(reply.value), found.length);
  }
  return { ok: true, value: { files, left: [] } };
}

/** Uploads files as one folder, named after the dropped one; files that are no text by their name are left out. */
async function sendTogether(
  texts: readonly Found[],
  others: readonly Found[],
  isFolder: boolean,
  options: TakeOptions,
): Promise<Reply<DroppedFiles>> {
  const isSent = ({ file }: Found) => isNamedAs('text', file.name);
  const sent = texts.filter(isSent);
  const left = texts.filter((one) => !isSent(one)).map(({ place }) => place);
  const [first] = sent;
  if (!first) return refused(localized('wizard.text.sent.noTexts'));
  const name = isFolder ? (first.place.split('/')[0] ?? '') : `${first.file.name} + ${sent.length - 1}`;
  const folder = await post(`/upload-folder?name=${encodeURIComponent(name)}`, null);
  if (!folder.ok) return folder;
  for (const [at, { file, place }] of sent.entries()) {
    const inside = isFolder ? place.slice(place.indexOf('/') + 1) : place;
    const reply = await upload(file, inside, folder.value);
    if (!reply.ok) return reply;
    options.onSent(at + 1, sent.length);
  }
  const apart = await sendApart(others, options);
  return apart.ok ? { ok: true, value: { files: [folder.value, ...apart.value.files], left } } : apart;
}

/** Collects files recursively. Hidden files and folders are skipped, as when a folder is read. */
async function collect(entry: FileSystemEntry, inside: string, found: Found[]): Promise<void> {
  if (inside !== '' && entry.name.startsWith('.')) return;
  const place = `${inside}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    found.push({ file, place });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: FileSystemEntry[] = [];
  // A reader returns entries in batches, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) break;
    all.push(...some);
  }
  for (const one of all.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.length <= MOST_FILES) await collect(one, `${place}/`, found);
  }
}

const upload = (file: File, name: string, folder: FileInfo | null): Promise<Reply<FileInfo>> =>
  post(
    `/upload?name=${encodeURIComponent(name)}${folder === null ? '' : `&folder=${encodeURIComponent(folder.handle)}`}`,
    file,
  );

async function post(address: string, body: File | null): Promise<Reply<FileInfo>> {
  try {
    const response = await fetch(address, { method: 'POST', body });
    if (response.ok) return uploaded.parse(await response.json()) as Reply<FileInfo>;
    return refused(verbatim((await response.text()).trim()));
  } catch {
    return refused(localized('wizard.text.sent.lost'));
  }
}

const refused = (message: Message): Reply<never> => ({
  ok: false,
  fault: { code: 'disconnected', message, hint: localized('wizard.text.sent.dropAgain') },
});
