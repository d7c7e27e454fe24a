/** Values that several channels share. Paths never appear: what names a file or folder to the window is a handle. */
import { z } from 'zod';
import { measured } from '../base/measured.js';
import { fileTroubles } from '../config/checks.js';
import { faultCodes } from '../errors.js';
import { messageSchema } from '../messages/message.js';

const identifier = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9-]{1,64}$`));

/** A file or folder that the person chose in a dialog, dropped, or uploaded; known to the main process alone. */
export const fileHandle = identifier('file');
export const projectId = identifier('project');
export const draftId = identifier('draft');

/** A file as the window may know it. */
export const fileInfo = z.strictObject({
  handle: fileHandle,
  /** For display only: the last part of the path. */
  name: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Bytes; null for a folder. */
  size: z.number().nullable(),
});
export type FileInfo = z.infer<typeof fileInfo>;

/** Settings as given, not resolved: keys of `projectShape`; what is a path holds a file handle. */
export const givenSettings = z.record(
  z.string().max(64),
  z.union([z.string().max(65_536), z.number(), z.boolean(), z.null()]),
);
export type GivenSettings = z.infer<typeof givenSettings>;

const fixValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `Problem` of shared/config/checks.ts, as it travels. */
export const problemSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  code: z.enum(faultCodes),
  field: z.string().nullable(),
  trouble: z.enum(fileTroubles).optional(),
  message: messageSchema,
  hint: messageSchema,
  fix: z
    .strictObject({ set: z.record(z.string(), fixValue).optional(), unset: z.array(z.string()).optional() })
    .optional(),
});

/** What a run is expected to need, from measurements on this machine. */
export const estimateSchema = z.strictObject({
  parameters: z.number(),
  /**
   * Seconds for base training, for the critic and the judge, for one cycle of several, and for all of it; null when nothing
   * was measured yet.
   */
  seconds: z.strictObject({ base: measured, scoring: measured, cycle: measured, total: measured }),
  /** Bytes of memory at the peak, and of this machine. */
  memory: z.strictObject({ peak: z.number(), available: z.number() }),
  /** Bytes on disk at the end, and free now. */
  disk: z.strictObject({ needed: z.number(), free: z.number() }),
});
export type Estimate = z.infer<typeof estimateSchema>;
