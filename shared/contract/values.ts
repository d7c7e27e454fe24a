/** Values that several channels share. The window never gets paths, only handles of files that the user chose. */
import { z } from 'zod';
import { measured } from '../base/measured.js';
import { fileTroubles } from '../config/checks.js';
import { faultCodes } from '../errors.js';
import { messageSchema } from '../messages/message.js';

const identifier = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9-]{1,64}$`));

export const fileHandle = identifier('file');
export const projectId = identifier('project');
export const draftId = identifier('draft');

export const fileInfo = z.strictObject({
  handle: fileHandle,
  name: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Bytes; null for a folder. */
  size: z.number().nullable(),
});
export type FileInfo = z.infer<typeof fileInfo>;

/** Explicit settings by keys of `projectShape`; paths are file handles. */
export const givenSettings = z.record(
  z.string().max(64),
  z.union([z.string().max(65_536), z.number(), z.boolean(), z.null()]),
);
export type GivenSettings = z.infer<typeof givenSettings>;

const fixValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `Problem` of shared/config/checks.ts. */
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

export const estimateSchema = z.strictObject({
  parameters: z.number(),
  /** How often base training reads the text; null if unknown. */
  passes: measured,
  /** Of base training, critic and judge, one cycle, and all; null until measured. */
  seconds: z.strictObject({ base: measured, scoring: measured, cycle: measured, total: measured, voice: measured }),
  memory: z.strictObject({ peak: z.number(), available: z.number() }),
  disk: z.strictObject({ needed: z.number(), free: z.number() }),
});
export type Estimate = z.infer<typeof estimateSchema>;
