/**
 * Channels that turn the user's choice of a file into a handle. In Electron, main opens the dialog and the preload script
 * passes dropped files; in a browser the user picks from the server's folders or uploads.
 */
import { z } from 'zod';
import { filePurposes } from '../config/file-kinds.js';
import { channel, nothing } from './channel.js';
import { fileHandle, fileInfo } from './values.js';

const filePurpose = z.enum(filePurposes);

/** More characters are a file, not a clipboard; a message has room for as many. */
export const MOST_PASTED = 1_000_000;

export const fileChannels = {
  /** Opens the system's dialog (Electron only); an empty list if it was cancelled. */
  'files.choose': channel(
    z.strictObject({ purpose: filePurpose, multiple: z.boolean().default(false) }),
    z.strictObject({ files: z.array(fileInfo) }),
  ),
  /** In a browser, a place to fetch from afterwards (GET /download/<handle>); null if the dialog was cancelled. */
  'files.chooseSave': channel(
    z.strictObject({ purpose: filePurpose, suggested: z.string().max(200) }),
    z.strictObject({ file: fileInfo.nullable() }),
  ),
  /** Lists a folder (browser only); without a handle, the places to start from. */
  'files.browse': channel(
    z.strictObject({ folder: fileHandle.nullable(), purpose: filePurpose }),
    z.strictObject({
      here: z.string(),
      parent: fileHandle.nullable(),
      entries: z.array(fileInfo),
    }),
  ),
  /** Joins several files, in the order of their names, under one handle. */
  'files.combine': channel(z.strictObject({ files: z.array(fileHandle).min(1).max(1000) }), fileInfo),
  /** Stores a pasted text as a file, named after its first words. */
  'files.paste': channel(z.strictObject({ text: z.string().min(1).max(MOST_PASTED) }), fileInfo),
  'files.describe': channel(z.strictObject({ handle: fileHandle }), fileInfo),
  'files.sampleText': channel(nothing, fileInfo),
  'files.reveal': channel(z.strictObject({ handle: fileHandle }), nothing),
};
