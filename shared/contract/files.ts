/**
 * Channels that turn the person's choice of a file into a handle. In Electron main opens the dialog itself and the
 * preload script hands over dropped files; in a browser the person picks from the server's own folders or uploads.
 */
import { z } from 'zod';
import { filePurposes } from '../config/file-kinds.js';
import { channel, nothing } from './channel.js';
import { fileHandle, fileInfo } from './values.js';

/** What is being chosen: decides the dialog's title and filter. */
const filePurpose = z.enum(filePurposes);

export const fileChannels = {
  /** The system's dialog; an empty list when it was cancelled. Only where `app.info` says `electron`. */
  'files.choose': channel(
    z.strictObject({ purpose: filePurpose, multiple: z.boolean().default(false) }),
    z.strictObject({ files: z.array(fileInfo) }),
  ),
  /** Where to save: by the system's dialog, null when cancelled; in a browser, a place it fetches from afterwards
   * (GET /download/<handle>). */
  'files.chooseSave': channel(
    z.strictObject({ purpose: filePurpose, suggested: z.string().max(200) }),
    z.strictObject({ file: fileInfo.nullable() }),
  ),
  /** A folder's entries, for choosing in a browser, and only there; without a handle, the places to begin. */
  'files.browse': channel(
    z.strictObject({ folder: fileHandle.nullable(), purpose: filePurpose }),
    z.strictObject({
      /** The folder's name for display, and the one above it. */
      here: z.string(),
      parent: fileHandle.nullable(),
      entries: z.array(fileInfo),
    }),
  ),
  /** Several files as one text, in the order of their names: a handle that a setting takes like any other. */
  'files.combine': channel(z.strictObject({ files: z.array(fileHandle).min(1).max(1000) }), fileInfo),
  'files.describe': channel(z.strictObject({ handle: fileHandle }), fileInfo),
  /** The bundled sample text as a file like any other. */
  'files.sampleText': channel(nothing, fileInfo),
  /** Shows a project or an exported file in the system's file manager. */
  'files.reveal': channel(z.strictObject({ handle: fileHandle }), nothing),
};
