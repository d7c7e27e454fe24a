/**
 * What a server says there is to install: a list, signed by whoever makes Verisim. Nothing is believed before its signature was
 * checked with the key that is part of the app, and nothing older than the app is ever taken.
 */
import { parsedJson } from '../../../shared/json.js';
import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';

export const packageKinds = ['AppImage', 'deb', 'rpm', 'tar.gz'] as const;
export type PackageKind = (typeof packageKinds)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const version = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/);

const fileSchema = z.strictObject({
  kind: z.enum(packageKinds),
  /** Where app and runtime are packages of their own; `all` elsewhere. */
  part: z.enum(['all', 'app', 'runtime']),
  /** In the list's own folder. */
  name: z.string().regex(/^\w[\w.+~-]{0,200}$/),
  size: z.int().min(1),
  sha256,
  /** SHA-256 of each `blockSize` bytes, the last ones maybe fewer: what an older file has of them is not fetched. */
  blocks: z.array(sha256).optional(),
});
export type UpdateFile = z.infer<typeof fileSchema>;

const manifestSchema = z.strictObject({ version, runtime: z.string(), files: z.array(fileSchema).max(50) });
type Manifest = z.infer<typeof manifestSchema>;

/** Of the blocks of a large file. */
export const blockSize = 1 << 20;

export const manifestName = 'updates.json';
export const signatureName = `${manifestName}.sig`;

const notBelieved = (why: string): UserError =>
  new UserError({
    code: 'file_damaged',
    message: `The list of versions that the server has is not believed: ${why}.`,
    hint: 'Nothing was installed. Try again later, or take the new version from where you have this one.',
  });

/**
 * @param signature of these bytes (Ed25519, base64)
 * @param key PEM
 * @throws UserError `file_damaged`
 */
export function readManifest(bytes: Buffer, signature: string, key: string): Manifest {
  const signed = Buffer.from(signature.trim(), 'base64');
  if (!verify(null, bytes, createPublicKey(key), signed)) throw notBelieved('its signature is not that of its makers');
  const { data, error } = manifestSchema.safeParse(parsedJson(bytes.toString('utf8')));
  if (data === undefined) throw notBelieved(`it is not such a list (${error.issues[0]?.message ?? ''})`);
  return data;
}

/** @returns below zero where the first is older, 0 where they are the same */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => text.split('.').map(Number));
  const index = first?.findIndex((part, at) => part !== second?.[at]) ?? -1;
  return index < 0 ? 0 : (first?.[index] ?? 0) - (second?.[index] ?? 0);
}
