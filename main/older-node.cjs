// Put at the head of each bundled program by electron.vite.config.ts: the few functions of Node 18 that are used, for the
// Electron of the tests, whose Node is 16. They must be there before anything imports them.
'use strict';
{
  const os = require('node:os');
  os.availableParallelism ??= () => os.cpus().length;
  const buffer = require('node:buffer');
  /** @param {Uint8Array} bytes */
  const isUtf8 = (bytes) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  buffer.isUtf8 ??= /** @type {typeof buffer.isUtf8} */ (isUtf8);
  const fs = require('node:fs');
  /** @param {string} folder */
  const statfs = (folder) => {
    const { spawnSync } = require('node:child_process');
    const { stdout, status } = spawnSync('df', ['-Pk', '--', folder], { encoding: 'utf8' });
    if (status !== 0) throw Object.assign(new Error(`df cannot tell about ${folder}`), { code: 'ENOENT' });
    const [, blocks, , available] = (stdout.trim().split('\n').pop() ?? '').split(/\s+/).map(Number);
    return { bsize: 1024, blocks, bfree: available, bavail: available, files: 0, ffree: 0, type: 0 };
  };
  fs.statfsSync ??= /** @type {typeof fs.statfsSync} */ (/** @type {unknown} */ (statfs));
}
