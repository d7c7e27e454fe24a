/** Serves the built page at `app://verisim/…` under a strict content security policy with a new nonce each time. */
import type { Protocol, WebContents, WebFrameMain } from 'electron';
import { withPolicy } from '../server/page-policy.js';
import { createStaticFiles } from '../server/static-files.js';

const scheme = 'app';
const host = 'verisim';
export const pageAddress = `${scheme}://${host}/index.html`;

/** Register them before Electron is ready. */
export const schemePrivileges = {
  scheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/** Whether an address is the page's own. Custom schemes have no `origin` in Node, so its parts are compared. */
export function isPageAddress(address: string): boolean {
  try {
    const url = new URL(address);
    return url.protocol === `${scheme}:` && url.host === host;
  } catch {
    return false;
  }
}

/** Whether a message comes from the main frame of an admitted window that shows our page; the frame may be gone already. */
export function isOurPage(
  sender: Pick<WebContents, 'id'>,
  frame: Pick<WebFrameMain, 'url' | 'parent'> | null | undefined,
  windows: ReadonlyMap<number, unknown>,
): boolean {
  if (!windows.has(sender.id)) return false;
  try {
    return Boolean(frame && frame.parent === null && isPageAddress(frame.url));
  } catch {
    return false; // a frame that has been disposed of throws
  }
}

/** @param folder the built page */
export function servePage(protocol: Protocol, folder: string): void {
  const files = createStaticFiles(folder);
  // `protocol.handle` is newer but slower: 0.84 s of processor time until the window shows instead of 0.75 (Electron 25).
  protocol.registerBufferProtocol(scheme, (request, respond) => {
    const file = isPageAddress(request.url) ? files.find(new URL(request.url).pathname) : null;
    if (file === null || request.method !== 'GET') {
      respond({ statusCode: 404, mimeType: 'text/plain', data: Buffer.alloc(0) });
      return;
    }
    const { bytes, policy } = withPolicy(file);
    respond({
      statusCode: 200,
      mimeType: file.type.replace(/;.*/, ''),
      charset: 'utf-8',
      headers: { 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' },
      data: bytes,
    });
  });
}

/** Serves a page without content to a session that shows nothing. */
export function serveEmptyPage(protocol: Protocol): void {
  protocol.registerBufferProtocol(scheme, (_request, respond) =>
    respond({
      mimeType: 'text/html',
      charset: 'utf-8',
      headers: { 'Content-Security-Policy': "default-src 'none'" },
      data: Buffer.from('<!doctype html><title>Verisim</title>'),
    }),
  );
}
