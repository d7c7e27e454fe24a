/**
 * Dropped and picked files as handles. In the app the preload script knows their paths and main gives handles for them;
 * in a browser they are sent to the server, which keeps them as long as they are needed.
 */
import { z } from 'zod';
import { replySchema } from '../../shared/contract/channel.js';
import { fileInfo, type FileInfo } from '../../shared/contract/values.js';
import type { Reply } from '../../shared/contract/index.js';

const uploaded = replySchema(fileInfo);
const taken = replySchema(z.array(fileInfo));

/** @returns the fault of the first file that was not taken, or a handle for each */
export async function handlesFor(files: readonly File[]): Promise<Reply<readonly FileInfo[]>> {
  if (window.verisim) return taken.parse(await window.verisim.takeDropped()) as Reply<readonly FileInfo[]>;
  const handles: FileInfo[] = [];
  for (const file of files) {
    const reply = await upload(file);
    if (!reply.ok) return reply;
    handles.push(reply.value);
  }
  return { ok: true, value: handles };
}

async function upload(file: File): Promise<Reply<FileInfo>> {
  try {
    const response = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, { method: 'POST', body: file });
    if (response.ok) return uploaded.parse(await response.json()) as Reply<FileInfo>;
    return refused(await response.text());
  } catch {
    return refused('The connection was lost while the file was being sent.');
  }
}

const refused = (message: string): Reply<never> => ({
  ok: false,
  fault: { code: 'disconnected', message: message.trim(), hint: 'Drop the file again.' },
});
