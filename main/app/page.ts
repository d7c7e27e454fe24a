/**
 * The page as the app serves it: `app://verisim/…`, from the built files and nothing else, under a strict content security
 * policy whose nonce is new each time. A scheme of its own gives the page an origin that no web site and no file has.
 */
import { randomBytes } from 'node:crypto';
import type { Protocol } from 'electron';
import { createStaticFiles } from '../server/static-files.js';

export const scheme = 'app';
const host = 'verisim';
export const pageAddress = `${scheme}://${host}/index.html`;

/** Where renderer/vite.config.ts lets the build put it. */
const noncePlaceholder = /__CSP_NONCE__/g;

/** To be registered before Electron is ready. */
export const schemePrivileges = {
  scheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/**
 * Scripts and styles come from files. Nuxt UI's few `<style>` elements carry the nonce; style attributes, which ECharts'
 * tooltips need, cannot fetch anything: images come from here too.
 */
export const contentSecurityPolicy = (nonce: string): string =>
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

/** Whether an address is the page's own. Custom schemes have no `origin` in Node, so its parts are compared. */
export function isPageAddress(address: string): boolean {
  try {
    const url = new URL(address);
    return url.protocol === `${scheme}:` && url.host === host;
  } catch {
    return false;
  }
}

/** @param folder the built page */
export function servePage(protocol: Protocol, folder: string): void {
  const files = createStaticFiles(folder);
  // `protocol.handle` would be newer; this exists in every Electron that the app is tested in.
  protocol.registerBufferProtocol(scheme, (request, respond) => {
    const file = isPageAddress(request.url) ? files.find(new URL(request.url).pathname) : null;
    if (file === null || request.method !== 'GET') {
      respond({ statusCode: 404, mimeType: 'text/plain', data: Buffer.from('There is no such file.\n') });
      return;
    }
    const nonce = randomBytes(16).toString('base64url');
    const isPage = file.type.startsWith('text/html');
    respond({
      statusCode: 200,
      mimeType: file.type.replace(/;.*/, ''),
      charset: 'utf-8',
      headers: { 'Content-Security-Policy': contentSecurityPolicy(nonce), 'X-Content-Type-Options': 'nosniff' },
      data: isPage ? Buffer.from(file.bytes.toString('utf8').replace(noncePlaceholder, nonce)) : file.bytes,
    });
  });
}
