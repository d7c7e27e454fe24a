/** Builds the page's content security policy: scripts and styles from its own files, a nonce for Nuxt UI's style elements. */
import { randomBytes } from 'node:crypto';
import type { StaticFile } from './static-files.js';

/** Where renderer/vite.config.ts lets the build put the nonce. */
const noncePlaceholder = /__CSP_NONCE__/g;

const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

/** A file as it is sent, with the policy that goes with it. */
export function withPolicy(file: StaticFile): { readonly bytes: Buffer; readonly policy: string } {
  const nonce = randomBytes(16).toString('base64url');
  const isPage = file.type.startsWith('text/html');
  const bytes = isPage ? Buffer.from(file.bytes.toString('utf8').replace(noncePlaceholder, nonce)) : file.bytes;
  return { bytes, policy: contentSecurityPolicy(nonce) };
}
